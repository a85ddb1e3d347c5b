// `devices` three ways: each engine and the reference give the same devices in the same order, however long the pages are.
import fc from 'fast-check';
import { deviceCursor } from '../../src/analytics/reads/deviceList.ts';
import { readDevices, type DevicesQuestion } from '../../src/analytics/reads/devicesRead.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import type { Drawn } from '../support/analytics/drawn.ts';
import { deviceIds, userIds } from '../support/analytics/drawnSessions.ts';
import { daysAround } from '../support/analytics/drawnSessions.ts';
import { dateNear, startOfDay } from '../support/analytics/drawnDays.ts';
import { filters, someFilters } from '../support/analytics/drawnQuestions.ts';
import { devicesOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

const deviceFilters = fc.oneof(filters, someFilters).map((list) => list.filter(({ scope }) => scope !== 'EVENT'));

/** Days, and the arrivals themselves: a device seen last at this instant is active. */
function instants(about: Drawn): fc.Arbitrary<Date> {
  const arrivals = about.asked.sessions.flatMap(({ uploads }) => uploads.map(({ arrivedAt }) => arrivedAt));
  const whole = arrivals.filter((arrivedAt) => arrivedAt % 1_000 === 0);
  const days = dateNear(about, daysAround).map((date) => startOfDay(about, date));
  const some = whole.length > 0 ? fc.oneof(days, fc.constantFrom(...whole)) : days;
  return some.map((micros) => new Date(micros / 1_000));
}

testThreeWays<DevicesQuestion, unknown>('devices', {
  question: (about) =>
    fc.record({
      includeTest: fc.boolean(),
      userId: fc.option(fc.constantFrom(...userIds.filter((id) => id !== null)), { freq: 2 }),
      search: fc.option(fc.constantFrom(...deviceIds, 'd', '1', 'u', 'none'), { freq: 2 }),
      filters: deviceFilters,
      activeSince: fc.option(instants(about), { freq: 2 }),
      sort: fc.constantFrom('LAST_SEEN', 'FIRST_SEEN', 'SESSIONS'),
      limit: fc.integer({ min: 1, max: 5 }),
      after: fc.constant(null),
    }),
  reference(about, { activeSince, ...question }) {
    const since = activeSince && activeSince.getTime() * 1_000;
    const nodes = devicesOf(about, { ...question, activeSince: since }).map((node) => ({
      ...node,
      ...{ firstSeenAt: shown(node.firstSeenAt), lastSeenAt: shown(node.lastSeenAt) },
    }));
    return { nodes, total: nodes.length };
  },
  async read(engine, question) {
    const pages = { limit: question.limit, shape: deviceCursor('devices', question.sort) };
    const { nodes, first } = await allPages(pages, (page) => readDevices(engine, { ...question, ...page }));
    expect(first.asOf).toBeInstanceOf(Date);
    return { nodes, total: first.total };
  },
});
