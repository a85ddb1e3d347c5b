// query eventNames: the names of events with their parameters, for editors that complete a name.
import type { EventNamePage, QueryEventNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { readPage, readSearch, readTimeZone } from './questionInput.ts';
import { notYet } from './reads/notYet.ts';

type Args = Partial<QueryEventNamesArgs> & Pick<QueryEventNamesArgs, 'applicationId'>;

/** Name and type. */
const cursorParts = 2;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventNames(args: Args, needs: AnalyticsNeeds): Promise<EventNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, cursorParts);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return notYet({ applicationId: id, search, includeTest: args.includeTest ?? false, ...page });
}
