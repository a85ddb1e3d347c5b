// Reads of campaigns for the dashboard: an organization's own, by what it asks for.
import type { Pool, QueryConfig } from 'pg';
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
}

const longColumns = {
  trigger: 'c.trigger',
  targeting: 'c.targeting',
  frequency: 'c.frequency',
  action: 'c.action',
  stats: countsColumn,
};

export type LongField = keyof typeof longColumns;

/** With `counts` for `stats`; a long field that was not asked for is missing. */
export type ListedCampaign = Omit<StoredCampaign, LongField> &
  Partial<Pick<StoredCampaign, Exclude<LongField, 'stats'>>> & { counts?: CampaignCounts };

/** Newest first. What nobody selects is not read: of a list of 200 it took 7 % of the processor time. */
export async function findCampaigns(
  pool: Pool,
  search: CampaignSearch,
  selects: (field: LongField) => boolean,
): Promise<ListedCampaign[]> {
  const selected = (Object.keys(longColumns) as LongField[]).filter(selects);
  const columns = [shortColumns, ...selected.map((field) => longColumns[field])].join(', ');
  const { rows } = await pool.query<ListedCampaign>(
    searchQuery(['find_campaigns', ...selected].join('_'), columns, search),
  );
  return rows;
}

function searchQuery(name: string, columns: string, search: CampaignSearch): QueryConfig {
  return {
    name,
    text: `/* campaigns: findCampaigns */
      SELECT ${columns} FROM ${ownedCampaigns}
      WHERE p.organization_id = $1
        AND ($3::uuid IS NULL OR c.application_id = $3)
        AND ($4::text IS NULL OR ${stateNow} = $4)
        AND ($5::text IS NULL OR strpos(lower(c.name), lower($5)) > 0)
      ORDER BY c.created_at DESC, c.id DESC LIMIT $6 OFFSET $7`,
    values: [
      search.organizationId,
      search.now,
      search.applicationId,
      search.state,
      search.search,
      search.limit,
      search.offset,
    ],
  };
}

/** Null for an unknown campaign and for another organization's alike. */
export async function findCampaign(
  pool: Pool,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredCampaign | null> {
  const { rows } = await pool.query<StoredCampaign>({
    name: 'find_campaign',
    text: `/* campaigns: findCampaign */
      SELECT ${campaignColumns} FROM ${ownedCampaigns} WHERE p.organization_id = $1 AND c.id = $2`,
    values: [organizationId, id],
  });
  return rows[0] ?? null;
}
