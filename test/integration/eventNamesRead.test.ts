// `eventNames` three ways: each engine finds the names that the reference finds, with their times, counts and parameters.
import fc from 'fast-check';
import { eventNamesCursor, readEventNames, type EventNamesQuestion } from '../../src/analytics/reads/eventNamesRead.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import { eventNamesOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<EventNamesQuestion, unknown>('eventNames', {
  question: ({ now }) =>
    fc.record({
      includeTest: fc.boolean(),
      search: fc.option(fc.constantFrom('a', 'event', 'ss', 'none'), { freq: 2 }),
      // Few, so that the older hours of a name are not read.
      newest: fc.constantFrom(1, 2, 3, 1_000),
      now: fc.constant(new Date(now / 1_000)),
      limit: fc.integer({ min: 1, max: 6 }),
      after: fc.constant(null),
    }),
  reference: (about, question) =>
    eventNamesOf(about, question).map((node) => ({
      ...node,
      ...{ firstSeenAt: shown(node.firstSeenAt), lastSeenAt: shown(node.lastSeenAt) },
    })),
  async read(engine, question) {
    const pages = { limit: question.limit, shape: eventNamesCursor };
    const { nodes } = await allPages(pages, (page) => readEventNames(engine, { ...question, ...page }));
    return nodes;
  },
});
