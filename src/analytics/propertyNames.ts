// query propertyNames: the names of the properties of one scope, for editors that complete a name.
import type { PropertyNamePage, QueryPropertyNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { readPage, readSearch, readTimeZone } from './questionInput.ts';
import { notYet } from './reads/notYet.ts';

type Args = Partial<QueryPropertyNamesArgs> & Pick<QueryPropertyNamesArgs, 'applicationId' | 'scope'>;

/** The name. */
const cursorParts = 1;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function propertyNames(args: Args, needs: AnalyticsNeeds): Promise<PropertyNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, cursorParts);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return notYet({ applicationId: id, scope: args.scope, search, includeTest: args.includeTest ?? false, ...page });
}
