// Lists of devices three ways: each engine and the reference give the same for whatever was drawn.
import fc from 'fast-check';
import { deviceCursor, type DevicesQuestion, readDevices } from '../../src/analytics/devices.ts';
import { readUserDevices, type UserDevicesQuestion } from '../../src/analytics/userDevices.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import type { Drawn } from '../support/analytics/drawn.ts';
import { dateNear, startOfDay } from '../support/analytics/drawnDays.ts';
import { figures, funnelFigures } from '../support/analytics/drawnFigures.ts';
import { filters, someFilters } from '../support/analytics/drawnQuestions.ts';
import { daysAround, deviceIds, userIds } from '../support/analytics/drawnSessions.ts';
import { devicesOf, userDevicesOf } from '../support/analytics/listReferences.ts';
import { testDevicesBehind } from '../support/analytics/testDevicesBehind.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

// `devices` three ways: each engine and the reference give the same devices in the same order, however long the pages are.
describe('devicesRead', () => {
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
});

// `userDevices` three ways: a user has the devices of the present and of past sessions, on each engine.
describe('userDevicesRead', () => {
  testThreeWays<UserDevicesQuestion, unknown>('userDevices', {
    question: () =>
      fc.record({
        includeTest: fc.boolean(),
        userId: fc.constantFrom(...userIds.filter((id) => id !== null)),
        limit: fc.integer({ min: 1, max: 3 }),
        after: fc.constant(null),
      }),
    reference(about, question) {
      const nodes = userDevicesOf(about, question).map((node) => ({
        ...node,
        ...{ firstSeenAt: shown(node.firstSeenAt), lastSeenAt: shown(node.lastSeenAt) },
      }));
      return { nodes, total: nodes.length };
    },
    async read(engine, question) {
      const pages = { limit: question.limit, shape: deviceCursor('userDevices') };
      const { nodes, first } = await allPages(pages, (page) => readUserDevices(engine, { ...question, ...page }));
      return { nodes, total: first.total };
    },
  });
});

// `devicesBehind` of the reports by time, three ways.
describe('devicesBehindRead', () => {
  testDevicesBehind('activity, eventSeries and retention', figures);
});

// `devicesBehind` of funnels, three ways.
describe('devicesBehindFunnelRead', () => {
  testDevicesBehind('funnel', funnelFigures);
});
