// Lists of names and events three ways: each engine and the reference give the same for whatever was drawn.
import fc from 'fast-check';
import { eventNamesCursor, type EventNamesQuestion, readEventNames } from '../../src/analytics/eventNames.ts';
import {
  propertyNamesCursor,
  type PropertyNamesQuestion,
  readPropertyNames,
} from '../../src/analytics/propertyNames.ts';
import { readRecentEvents, recentEventsCursor, type RecentEventsQuestion } from '../../src/analytics/recentEvents.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import { filters, someFilters } from '../support/analytics/drawnQuestions.ts';
import { eventNamesOf, propertyNamesOf, recentEventsOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

// `eventNames` three ways: each engine finds the names that the reference finds, with their times, counts and parameters.
describe('eventNamesRead', () => {
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
});

// `propertyNames` three ways: each engine finds the names of each scope, with the types of their values and some of these.
describe('propertyNamesRead', () => {
  testThreeWays<PropertyNamesQuestion, unknown>('propertyNames', {
    question: ({ now }) =>
      fc.record({
        scope: fc.constantFrom('EVENT', 'USER', 'DEVICE'),
        includeTest: fc.boolean(),
        search: fc.option(fc.constantFrom('p', 'version', 'none'), { freq: 2 }),
        newest: fc.constantFrom(1, 2, 3, 1_000),
        now: fc.constant(new Date(now / 1_000)),
        limit: fc.integer({ min: 1, max: 6 }),
        after: fc.constant(null),
      }),
    reference: propertyNamesOf,
    async read(engine, question) {
      const pages = { limit: question.limit, shape: propertyNamesCursor };
      const { nodes } = await allPages(pages, (page) => readPropertyNames(engine, { ...question, ...page }));
      return nodes;
    },
  });
});

// `recentEvents` three ways: each engine gives the newest arrivals first, and pages neither repeat nor skip an event.
describe('recentEventsRead', () => {
  testThreeWays<RecentEventsQuestion, unknown>('recentEvents', {
    question: () =>
      fc.record({
        includeTest: fc.boolean(),
        filters: fc.oneof(filters, filters, someFilters),
        limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(50)),
        after: fc.constant(null),
      }),
    reference: (about, question) =>
      recentEventsOf(about, question).map(({ session, name, system, at, arrivedAt, params }) => ({
        ...{ deviceId: session.device, sessionId: session.id, userId: session.userId, name, system, params },
        ...{ timestamp: shown(at), receivedAt: shown(arrivedAt) },
      })),
    async read(engine, question) {
      const pages = { limit: question.limit, shape: recentEventsCursor };
      const { nodes } = await allPages(pages, (page) => readRecentEvents(engine, { ...question, ...page }, 1_000_000));
      return nodes.map(({ params, ...node }) => ({ ...node, params: JSON.parse(params!) as unknown }));
    },
  });
});
