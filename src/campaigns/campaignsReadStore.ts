// The SQL that reads an organization's campaigns for the dashboard.
import type { Pool, QueryConfig } from 'pg';
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import { countsColumn, type CampaignCounts } from './campaignStatsStore.ts';
import { campaignColumns, ownedCampaigns, shortColumns } from './campaignsStore.ts';

/** The state at $2, as `stateAt` (campaignState.ts) derives it; a test holds the two together. */
const stateNow = `CASE
  WHEN c.state NOT IN ('SCHEDULED', 'ACTIVE') THEN c.state::text
  WHEN c.end_at <= $2 THEN 'FINISHED'
  WHEN c.start_at <= $2 THEN 'ACTIVE'
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
  pool: Pool,
  search: CampaignSearch,
  selects: (field: ListField) => boolean,
): Promise<MeasuredCampaign[]> {
  const { rows } = await pool.query<MeasuredCampaign>(searchQuery(search, selects));
  return rows;
}

function searchQuery(search: CampaignSearch, selects: (field: ListField) => boolean): QueryConfig {
  const long = (Object.keys(longColumns) as LongField[]).filter(selects);
  const sourceOf = (field: LongField): string =>
    field === 'action' && !selects('action.payload') ? withoutPayload : longColumns[field];
  const fitting = long.map((field) => `${whileItFits(sourceOf(field), '$8')} AS ${field}`);
  const columns = [shortColumns, 'long.bytes', ...fitting, ...(selects('stats') ? [countsColumn] : [])];
  const more = [...(selects('action.payload') ? ['payload'] : []), ...(selects('stats') ? ['stats'] : [])];
  return {
    // PostgreSQL keeps only 63 characters of a statement's name.
    name: ['campaigns', ...long, ...more].join('_'),
    text: `/* campaigns: findCampaigns */
      SELECT ${columns.join(', ')}
      FROM (
        SELECT c.* FROM ${ownedCampaigns}
        WHERE p.organization_id = $1
          AND ($3::uuid IS NULL OR c.application_id = $3)
          AND ($4::text IS NULL OR ${stateNow} = $4)
          AND ($5::text IS NULL OR strpos(lower(c.name), lower($5)) > 0)
        ORDER BY c.created_at DESC, c.id DESC LIMIT $6 OFFSET $7) AS c
      ${measured('c.name', 'c.description', ...long.map(sourceOf))}
      ORDER BY c.created_at DESC, c.id DESC`,
    values: [
      search.organizationId,
      search.now,
      search.applicationId,
      search.state,
      search.search,
      search.limit,
      search.offset,
      ...(long.length > 0 ? [search.bytes] : []),
    ],
  };
}

/** Null for an unknown campaign and for a campaign of another organization alike. */
export async function findCampaign(
  pool: Pool,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredCampaign[]> {
  const { rows } = await pool.query<StoredCampaign>({
    name: 'find_campaign',
    text: `/* campaigns: findCampaign */
      SELECT ${campaignColumns} FROM ${ownedCampaigns} WHERE p.organization_id = $1 AND c.id = $2`,
    values: [organizationId, id],
  });
  return rows;
}
