// query recentEvents: the events that have arrived last, newest arrival first, in pages by cursor.
import type { QueryRecentEventsArgs, RecentEventPage } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { readPage, readTimeZone } from './questionInput.ts';
import { notYet } from './reads/notYet.ts';
import { readFilters } from './selectionInput.ts';

type Args = Partial<QueryRecentEventsArgs> & Pick<QueryRecentEventsArgs, 'applicationId'>;

/** Arrival, first arrival of the session, session id, device id, place. */
const cursorParts = 5;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function recentEvents(args: Args, needs: AnalyticsNeeds): Promise<RecentEventPage> {
  const rules = inputRules();
  const filters = readFilters(rules, 'filters', args.filters);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, cursorParts);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return notYet({ applicationId: id, filters, includeTest: args.includeTest ?? false, ...page });
}
