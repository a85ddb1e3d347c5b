// query ingestIssues: what the service has refused of requests with a valid key, in pages by cursor.
import type { IngestIssuePage, QueryIngestIssuesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { mostDays, readPage, readRange } from './questionInput.ts';

type Args = Partial<QueryIngestIssuesArgs> & Pick<QueryIngestIssuesArgs, 'applicationId' | 'from' | 'to'>;

/** `lastAt` and the line. */
const cursorShape = ['number', 'text'] as const;

/** Throws `validation_failed`, `not_found` (the application). */
export async function ingestIssues(args: Args, needs: AnalyticsNeeds): Promise<IngestIssuePage> {
  const rules = inputRules();
  readRange(rules, '', { from: args.from, to: args.to, most: mostDays });
  readPage(rules, args, cursorShape);
  rules.assert();
  await findAskedApplication(needs, args.applicationId);
  return { nodes: [], endCursor: null, hasMore: false, asOf: needs.now() };
}
