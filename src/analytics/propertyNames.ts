// query propertyNames: the names of the properties of one scope, for editors that complete a name.
import type { PropertyNamePage, QueryPropertyNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readPage, readSearch, readTimeZone } from './questionInput.ts';
import { mostNewest } from './reads/newestEvents.ts';
import { propertyNamesCursor, readPropertyNames } from './reads/propertyNamesRead.ts';

type Args = Partial<QueryPropertyNamesArgs> & Pick<QueryPropertyNamesArgs, 'applicationId' | 'scope'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function propertyNames(args: Args, needs: AnalyticsNeeds): Promise<PropertyNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, propertyNamesCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const wanted = { scope: args.scope, search, includeTest: args.includeTest ?? false, newest: mostNewest };
  const asked = { applicationId: id, now: needs.now(), ...wanted, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readPropertyNames(engine, asked),
    rowsOf: ({ nodes }) => nodes.length,
  });
}
