// query recentEvents: the events that have arrived last, newest arrival first, in pages by cursor.
import type { QueryRecentEventsArgs, RecentEventPage } from '../../generated/graphql.ts';
import { tooLong } from '../platform/answerBudget.ts';
import { inputRules } from '../platform/inputRules.ts';
import { RawJson } from '../platform/json/rawJson.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readPage, readTimeZone } from './questionInput.ts';
import { usesPresentProperties } from './questions.ts';
import { readRecentEvents, recentEventsCursor, type RecentEventFound } from './reads/recentEventsRead.ts';
import { readFilters } from './selectionInput.ts';

type Args = Partial<QueryRecentEventsArgs> & Pick<QueryRecentEventsArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function recentEvents(args: Args, needs: AnalyticsNeeds): Promise<RecentEventPage> {
  const rules = inputRules();
  const filters = readFilters(rules, 'filters', args.filters);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, recentEventsCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const asked = { applicationId: id, filters, includeTest: args.includeTest ?? false, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    async read(engine, { bytes }) {
      const found = await readRecentEvents(engine, asked, bytes);
      return { ...found, nodes: found.nodes.map(nodeOf), presentProperties: usesPresentProperties(filters) };
    },
    rowsOf: ({ nodes }) => nodes.length,
  });
}

/** Throws `validation_failed`: the engine has not sent parameters that no response has room for. */
function nodeOf({ system, params, ...event }: RecentEventFound): RecentEventPage['nodes'][number] {
  if (params === null) throw tooLong();
  return { ...event, type: system ? 'SYSTEM' : 'CUSTOM', params: new RawJson(params) };
}
