// The SQL that reads an organization's campaigns for the dashboard.
import { concat, prepared, raw, sql } from '../platform/database/sql.ts';
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

export interface CampaignSearch {
  organizationId: string;
  now: Date;
  applicationId: string | null;
  state: CampaignState | null;
  /** Part of the name, by its lower case. */
  search: string | null;
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

/** Newest first. Fields that are not selected are not read: they took 7 % of the processor time of a list of 200. */
export async function findCampaigns(
  connection: SqlConnection,
  search: CampaignSearch,
  selects: (field: ListField) => boolean,
): Promise<MeasuredCampaign[]> {
  const { rows } = await connection.query<MeasuredCampaign>(searchQuery(search, selects));
  return rows;
}

function searchQuery(search: CampaignSearch, selects: (field: ListField) => boolean): Statement {
  const long = (Object.keys(longColumns) as LongField[]).filter(selects);
  const sourceOf = (field: LongField): string =>
    field === 'action' && !selects('action.payload') ? withoutPayload : longColumns[field];
  const fitting = long.map((field) => sql`, ${whileItFits(sourceOf(field), search.bytes)} AS ${raw(field)}`);
  const columns = [...fitting, ...(selects('stats') ? [sql`, ${countsColumn}`] : [])];
  const more = [...(selects('action.payload') ? ['payload'] : []), ...(selects('stats') ? ['stats'] : [])];
  // PostgreSQL keeps only 63 characters of a statement's name.
  const name = ['campaigns', ...long, ...more].join('_');
  const { organizationId, applicationId, state, limit, offset } = search;
  return prepared(name)`/* campaigns: findCampaigns */
    SELECT ${shortColumns}, long.bytes${concat(columns)}
    FROM (
      SELECT c.* FROM ${ownedCampaigns}
      WHERE p.organization_id = ${organizationId}
        AND (${applicationId}::uuid IS NULL OR c.application_id = ${applicationId})
        AND (${state}::text IS NULL OR ${stateNow(search.now)} = ${state})
        AND (${search.search}::text IS NULL OR strpos(lower(c.name), lower(${search.search}::text)) > 0)
      ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}) AS c
    ${measured('c.name', 'c.description', ...long.map(sourceOf))}
    ORDER BY c.created_at DESC, c.id DESC`;
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
