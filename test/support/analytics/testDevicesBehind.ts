// `devicesBehind` three ways: each engine and the reference list the same devices, page by page, for each drawn figure.
import fc from 'fast-check';
import type { Figure } from '../../../src/analytics/questions.ts';
import { deviceCursor } from '../../../src/analytics/devices.ts';
import { readDevicesBehind } from '../../../src/analytics/devicesBehind.ts';
import { allPages, shown } from './allPages.ts';
import { devicesBehindOf } from './devicesBehindReference.ts';
import type { Drawn } from './drawn.ts';
import { testThreeWays } from './threeWays.ts';

interface Asked {
  applicationId: string;
  figure: Figure;
  limit: number;
}

/** Registers the test. */
export function testDevicesBehind(name: string, figures: (about: Drawn) => fc.Arbitrary<Figure>): void {
  testThreeWays<Asked, unknown>(`devicesBehind of ${name}`, {
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
      const pages = { limit, shape: deviceCursor('devicesBehind') };
      const { nodes, first } = await allPages(pages, (page) => readDevicesBehind(engine, own, page));
      return { nodes, total: first.total };
    },
  });
}
