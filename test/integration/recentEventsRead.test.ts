// `recentEvents` three ways: each engine gives the newest arrivals first, and pages neither repeat nor skip an event.
import fc from 'fast-check';
import {
  readRecentEvents,
  recentEventsCursor,
  type RecentEventsQuestion,
} from '../../src/analytics/reads/recentEventsRead.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import { filters, someFilters } from '../support/analytics/drawnQuestions.ts';
import { recentEventsOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

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
