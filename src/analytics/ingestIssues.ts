// query ingestIssues: what the service has refused of requests with a valid key, in pages by cursor.
import type { Pool } from 'pg';
import type { IngestIssuePage, QueryIngestIssuesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askEngine.ts';
import { findIssues, type IssuePlace } from './issueCounts.ts';
import { writeCursor, type Cursor } from './pageCursor.ts';
import { dateOf, dayNumber } from './reportDays.ts';
import { mostDays, readPage, readRange } from './questionInput.ts';

type Args = Partial<QueryIngestIssuesArgs> & Pick<QueryIngestIssuesArgs, 'applicationId' | 'from' | 'to'>;
type Needs = Pick<AnalyticsNeeds, 'caller' | 'prisma' | 'budget' | 'now'> & { adminPool: Pool };

/** Microseconds of `lastAt`, the day and the line. */
const cursorShape = ['number', 'text', 'text'] as const;

/** Throws `validation_failed`, `not_found` (the application). */
export async function ingestIssues(args: Args, needs: Needs): Promise<IngestIssuePage> {
  const rules = inputRules();
  const { from, to } = readRange(rules, '', { from: args.from, to: args.to, most: mostDays });
  const { limit, after } = readPage(rules, args, cursorShape);
  const place = placeOf(after);
  if (after && !place) rules.refuse('after', 'must be an `endCursor` of this list');
  rules.assert();
  const { id: applicationId } = await findAskedApplication(needs, args.applicationId);
  const asOf = needs.now();
  const found = await needs.budget.read(
    () => findIssues(needs.adminPool, { applicationId, from, to, limit: limit + 1, after: place }),
    (rows) => ({ rows: rows.length, bytes: jsonBytes(rows) }),
  );
  const nodes = found.slice(0, limit);
  const last = nodes.at(-1);
  return { nodes, endCursor: last ? writeCursor(last.place) : null, hasMore: found.length > limit, asOf };
}

/** Null for a cursor of another list, with the same number of parts. */
function placeOf(after: Cursor | null): IssuePlace | null {
  const [at, day, line] = after ?? [];
  return at != null && day != null && line != null && /^\d{1,16}$/.test(at) && isDate(day) ? [at, day, line] : null;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dateOf(dayNumber(text)) === text;
}
