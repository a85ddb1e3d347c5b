// The SQL that reads an organization's campaigns for the dashboard.
import { concat, prepared, raw, sql, type Sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Statement } from '../platform/database/sqlClient.ts';
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import { countsColumn, type CampaignCounts } from './campaignStatsStore.ts';
import { campaignColumns, ownedCampaigns, shortColumns } from './campaignsStore.ts';

/** As `stateAt` (campaignState.ts) derives the state; a test holds the two together. */
const stateNow = (now: Date) => sql`CASE
  WHEN c.state NOT IN ('SCHEDULED', 'ACTIVE') THEN c.state::text
  WHEN c.end_at <= ${now} THEN 'FINISHED'
  WHEN c.start_at <= ${now} THEN 'ACTIVE'
  ELSE c.state::text END`;

/** Null restricts nothing. */
export interface CampaignFilters {
  applicationId: string | null;
  /** By the clock. */
  states: CampaignState[] | null;
  /** Part of the name, by its lower case. */
  search: string | null;
}

export interface FilteredCampaigns extends CampaignFilters {
  organizationId: string;
  /** The applications that a service token reaches. Null: all of the organization. */
  reached: readonly string[] | null;
  now: Date;
}

export type CampaignOrder = 'CREATED' | 'UPDATED' | 'NAME' | 'PRIORITY' | 'STATE';

export interface CampaignSearch extends FilteredCampaigns {
  sort: CampaignOrder;
  limit: number;
  offset: number;
  /** The long fields that the request selects. PostgreSQL sends no other long field. */
  bytes: number;
}

const longColumns = {
  trigger: 'c.trigger',
  targeting: 'c.targeting',
  frequency: 'c.frequency',
  action: 'c.action',
};
/** Beside the payload, the fields of an action are short. */
const withoutPayload = "c.action - 'payload'";

type LongField = keyof typeof longColumns;
export type ListField = LongField | 'action.payload' | 'stats';

/** `counts` are for `stats`. A long field that was not selected is missing. */
export type ListedCampaign = Omit<StoredCampaign, LongField> &
  Partial<Pick<StoredCampaign, LongField>> & { counts?: CampaignCounts };

/** `bytes` of the long fields. */
export type MeasuredCampaign = ListedCampaign & { bytes: number };

/** In the order of `sort`. Fields that are not selected are not read: they took 7 % of the processor time of a list of 200. */
export async function findCampaigns(
  connection: SqlConnection,
  search: CampaignSearch,
  selects: (field: ListField) => boolean,
): Promise<MeasuredCampaign[]> {
  const { rows } = await connection.query<MeasuredCampaign>(searchQuery(search, selects));
  return rows;
}

/** The same order on every machine: without COLLATE the database's locale would decide. */
const nameOrder = sql`lower(c.name) COLLATE "C"`;

const orders: Record<CampaignOrder, (now: Date) => Sql> = {
  CREATED: () => sql`c.created_at DESC, c.id DESC`,
  UPDATED: () => sql`c.updated_at DESC, c.id DESC`,
  NAME: () => sql`${nameOrder}, c.id`,
  PRIORITY: () => sql`c.priority DESC, c.id`,
  STATE: (now) => sql`(${stateNow(now)})::campaign_state, c.id`,
};

/** Of `ownedCampaigns`. */
const matches = ({ organizationId, reached, applicationId, states, search, now }: FilteredCampaigns) => sql`
  p.organization_id = ${organizationId}
  AND (${reached}::uuid[] IS NULL OR c.application_id = ANY (${reached}::uuid[]))
  AND (${applicationId}::uuid IS NULL OR c.application_id = ${applicationId})
  AND (${states}::text[] IS NULL OR ${stateNow(now)} = ANY (${states}::text[]))
  AND (${search}::text IS NULL OR strpos(lower(c.name), lower(${search}::text)) > 0)`;

/** How many campaigns match, on all pages. */
export async function countCampaigns(connection: SqlConnection, filters: FilteredCampaigns): Promise<number> {
  const statement = prepared('count_campaigns')`/* campaigns: countCampaigns */
    SELECT count(*)::integer AS count FROM ${ownedCampaigns} WHERE ${matches(filters)}`;
  const { rows } = await connection.query<{ count: number }>(statement);
  return rows[0]!.count;
}

function searchQuery(search: CampaignSearch, selects: (field: ListField) => boolean): Statement {
  const long = (Object.keys(longColumns) as LongField[]).filter(selects);
  const sourceOf = (field: LongField): string =>
    field === 'action' && !selects('action.payload') ? withoutPayload : longColumns[field];
  const fitting = long.map((field) => sql`, ${whileItFits(sourceOf(field), search.bytes)} AS ${raw(field)}`);
  const columns = [...fitting, ...(selects('stats') ? [sql`, ${countsColumn}`] : [])];
  const more = [...(selects('action.payload') ? ['payload'] : []), ...(selects('stats') ? ['stats'] : [])];
  // PostgreSQL keeps only 63 characters of a statement's name.
  const name = ['campaigns', ...long, ...more, search.sort[0]!.toLowerCase()].join('_');
  const { sort, now, limit, offset } = search;
  const order = orders[sort](now);
  return prepared(name)`/* campaigns: findCampaigns */
    SELECT ${shortColumns}, long.bytes${concat(columns)}
    FROM (
      SELECT c.* FROM ${ownedCampaigns}
      WHERE ${matches(search)}
      ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) AS c
    ${measured('c.name', 'c.description', ...long.map(sourceOf))}
    ORDER BY ${order}`;
}

/** Null for an unknown campaign and for a campaign of another organization alike. */
export async function findCampaign(
  connection: SqlConnection,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredCampaign[]> {
  const statement = prepared('find_campaign')`/* campaigns: findCampaign */
    SELECT ${campaignColumns} FROM ${ownedCampaigns} WHERE p.organization_id = ${organizationId} AND c.id = ${id}`;
  const { rows } = await connection.query<StoredCampaign>(statement);
  return rows;
}
