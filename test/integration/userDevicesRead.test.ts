// `userDevices` three ways: a user has the devices of the present and of past sessions, on each engine.
import fc from 'fast-check';
import { deviceCursor } from '../../src/analytics/reads/deviceList.ts';
import { readUserDevices, type UserDevicesQuestion } from '../../src/analytics/reads/userDevicesRead.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import { userIds } from '../support/analytics/drawnSessions.ts';
import { userDevicesOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

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
