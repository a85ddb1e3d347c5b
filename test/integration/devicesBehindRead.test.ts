// `devicesBehind` three ways: each engine and the reference list the same devices for whatever figure was drawn.
import fc from 'fast-check';
import type { Figure } from '../../src/analytics/questions.ts';
import { deviceCursor } from '../../src/analytics/reads/deviceList.ts';
import { readDevicesBehind } from '../../src/analytics/reads/devicesBehindRead.ts';
import { allPages, shown } from '../support/analytics/allPages.ts';
import { devicesBehindOf } from '../support/analytics/devicesBehindReference.ts';
import { figures } from '../support/analytics/drawnFigures.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

interface Asked {
  applicationId: string;
  figure: Figure;
  limit: number;
}

testThreeWays<Asked, unknown>('devicesBehind', {
  question: (about) => fc.record({ figure: figures(about), limit: fc.integer({ min: 1, max: 3 }) }),
  reference(about, { figure }) {
    const nodes = devicesBehindOf(about, figure).map((node) => ({
      ...node,
      ...{ firstSeenAt: shown(node.firstSeenAt), lastSeenAt: shown(node.lastSeenAt) },
    }));
    return { nodes, total: nodes.length };
  },
  async read(engine, { applicationId, figure, limit }) {
    const own = { ...figure, question: { ...figure.question, applicationId } } as Figure;
    const pages = { limit, shape: deviceCursor };
    const { nodes, first } = await allPages(pages, (page) => readDevicesBehind(engine, own, page));
    return { nodes, total: first.total };
  },
});
