// Reads of campaigns for the dashboard: an organization's own, by what it asks for.
import type { Pool } from 'pg';
import type { CampaignState, StoredCampaign } from './campaign.ts';

const columns = `c.id, c.application_id AS "applicationId", c.name, c.description, c.state::text AS state, c.version,
  c.priority, c.trigger, c.targeting, c.frequency, c.action, c.start_at AS "startAt", c.end_at AS "endAt",
  c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;

const own = `campaigns c
  JOIN applications a ON a.id = c.application_id AND a.deleted_at IS NULL
  JOIN projects p ON p.id = a.project_id`;

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
      SELECT ${columns} FROM ${own}
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
    text: `/* campaigns: findCampaign */ SELECT ${columns} FROM ${own} WHERE p.organization_id = $1 AND c.id = $2`,
    values: [organizationId, id],
  });
  return rows[0] ?? null;
}
