// Adds the daily lines of refused uploads up, to one line for each reason and place.
import type { OverviewIssuesQuery } from '../../../../generated/screens/overview/graphql.ts';

type Issue = NonNullable<OverviewIssuesQuery['ingestIssues']>['nodes'][number];

export interface Refused extends Issue {
  key: string;
}

/** The largest number first. */
export function byReason(issues: readonly Issue[]): Refused[] {
  const rows = new Map<string, Refused>();
  for (const issue of issues) {
    const key = [issue.operation, issue.status, issue.reason, issue.path].join(' ');
    const row = rows.get(key);
    // Lines come with the newest `lastAt` first, which so stays.
    rows.set(key, row ? { ...row, count: row.count + issue.count } : { ...issue, key });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
