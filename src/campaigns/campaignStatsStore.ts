// What devices have reported of campaigns, read from the counts that the session writer keeps.
import type { Pool } from 'pg';

export interface CampaignStats {
  shown: number;
  resolved: {
    completed: number;
    dismissed: number;
    unavailable: number;
    skippedNoPresenter: number;
    skippedNoContinuation: number;
  };
  unavailableReasons: { timedOut: number; presenterFailed: number; presenterReported: number };
}

/** One query for any number of campaigns; in the order of `ids`, and zeros for a campaign without counts. */
export async function campaignStats(pool: Pick<Pool, 'query'>, ids: readonly string[]): Promise<CampaignStats[]> {
  const { rows } = await pool.query<{ campaign_id: string; counts: Record<string, number> }>(
    `/* campaigns: campaignStats */
      SELECT campaign_id, json_object_agg(outcome, count) AS counts FROM campaign_counts
      WHERE campaign_id = ANY($1::uuid[]) GROUP BY campaign_id`,
    [ids],
  );
  const counts = new Map(rows.map((row) => [row.campaign_id, row.counts]));
  return ids.map((id) => statsOf(counts.get(id) ?? {}));
}

function statsOf(counts: Record<string, number>): CampaignStats {
  const count = (outcome: string): number => counts[outcome] ?? 0;
  return {
    shown: count('shown'),
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
