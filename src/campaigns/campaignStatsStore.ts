// The SQL that reads the counts of campaigns. The writer of sessions keeps them.
import type { Pool } from 'pg';
import { sql } from '../platform/database/sql.ts';

export interface CampaignStats {
  shown: number;
  suspect: number;
  resolved: {
    completed: number;
    dismissed: number;
    unavailable: number;
    skippedNoPresenter: number;
    skippedNoContinuation: number;
  };
  unavailableReasons: { timedOut: number; presenterFailed: number; presenterReported: number };
}

/** By outcome; null for a campaign without reports. */
export type CampaignCounts = Record<string, number> | null;

/** The counts of the campaign `c`, as a column of a statement that reads campaigns. Rows of shows are those of days that go on. */
export const countsColumn = sql`(
  SELECT json_object_agg(counted.outcome, counted.count) FROM (
    SELECT outcome, count FROM campaign_counts WHERE campaign_id = c.id
    UNION ALL
    SELECT 'suspect:open', sum(suspect) FROM campaign_shows WHERE campaign_id = c.id AND suspect > 0 HAVING count(*) > 0
  ) counted
) AS counts`;

/** One query for any number of campaigns, in no order; zeros for a campaign without counts. */
export async function campaignStats(
  pool: Pick<Pool, 'query'>,
  ids: readonly string[],
): Promise<(CampaignStats & { id: string })[]> {
  const statement = sql`/* campaigns: campaignStats */
    SELECT c.id, ${countsColumn} FROM unnest(${ids}::uuid[]) AS c (id)`;
  const { rows } = await pool.query<{ id: string; counts: CampaignCounts }>(statement);
  return rows.map(({ id, counts }) => ({ id, ...statsOf(counts) }));
}

export function statsOf(counts: CampaignCounts): CampaignStats {
  const count = (outcome: string): number => counts?.[outcome] ?? 0;
  return {
    shown: count('shown'),
    suspect: count('suspect') + count('suspect:open'),
    resolved: {
      completed: count('resolved:Completed'),
      dismissed: count('resolved:Dismissed'),
      unavailable: count('resolved:Unavailable'),
      skippedNoPresenter: count('resolved:SkippedNoPresenter'),
      skippedNoContinuation: count('resolved:SkippedNoContinuation'),
    },
    unavailableReasons: {
      timedOut: count('unavailable:TimedOut'),
      presenterFailed: count('unavailable:PresenterFailed'),
      presenterReported: count('unavailable:PresenterReported'),
    },
  };
}
