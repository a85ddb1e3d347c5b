// Reads of campaigns for the dashboard: an organization's own, by what it asks for.
import type { Pool } from 'pg';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import { campaignColumns, ownedCampaigns } from './campaignsStore.ts';

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
  /** Part of the name; upper and lower case are the same. */
  search: string | null;
  limit: number;
  offset: number;
}

/** Newest first. */
export async function findCampaigns(pool: Pool, search: CampaignSearch): Promise<StoredCampaign[]> {
  const { rows } = await pool.query<StoredCampaign>({
    name: 'find_campaigns',
    text: `/* campaigns: findCampaigns */
      SELECT ${campaignColumns} FROM ${ownedCampaigns}
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
  });
  return rows;
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
