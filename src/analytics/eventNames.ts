// query eventNames: the names of events with their parameters, for editors that complete a name.
import type { EventNamePage, QueryEventNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readPage, readSearch, readTimeZone } from './questionInput.ts';
import { eventNamesCursor, readEventNames, type EventNameFound } from './reads/eventNamesRead.ts';
import { mostNewest } from './reads/newestEvents.ts';

type Args = Partial<QueryEventNamesArgs> & Pick<QueryEventNamesArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventNames(args: Args, needs: AnalyticsNeeds): Promise<EventNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, eventNamesCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const wanted = { search, includeTest: args.includeTest ?? false, newest: mostNewest };
  const asked = { applicationId: id, now: needs.now(), ...wanted, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    read: async (engine) => {
      const found = await readEventNames(engine, asked);
      return { ...found, nodes: found.nodes.map(nodeOf) };
    },
    rowsOf: ({ nodes }) => nodes.reduce((sum, { params }) => sum + 1 + params.length, 0),
  });
}

function nodeOf({ system, ...node }: EventNameFound): EventNamePage['nodes'][number] {
  return { ...node, type: system ? 'SYSTEM' : 'CUSTOM' };
}
