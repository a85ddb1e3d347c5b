// The families of funnels: both orders with few and many steps, a step again, filters and a breakdown, each by devices and users.
import type { EventSelection, FunnelQuestion, Report, Unit } from '../../../src/analytics/questions.ts';

export interface FunnelFamily {
  name: string;
  question: FunnelQuestion;
}

const custom = (name: string, filters: EventSelection['filters'] = []): EventSelection => ({
  name,
  system: false,
  filters,
});
const opened = custom('Opened');
const further = Array.from({ length: 7 }, (_, number) => custom(`Event ${number}`));

/** All but the order and the unit. */
const shapes: Record<string, Pick<FunnelQuestion, 'steps' | 'breakdown'>> = {
  '2 steps': { steps: [opened, further[3]!], breakdown: null },
  '3 steps': { steps: [opened, further[3]!, further[6]!], breakdown: null },
  '8 steps': { steps: [opened, ...further], breakdown: null },
  'a step again': { steps: [opened, opened, opened], breakdown: null },
  'filter of events': {
    steps: [
      opened,
      custom('Event 3', [{ scope: 'EVENT', property: 'source', op: 'EQ', value: 'source 7' }]),
      further[6]!,
    ],
    breakdown: null,
  },
  'filters of device and user': {
    steps: [
      custom('Opened', [{ scope: 'DEVICE', property: 'country', op: 'EQ', value: 'DE' }]),
      custom('Event 3', [{ scope: 'USER', property: 'plan', op: 'EQ', value: 'free' }]),
    ],
    breakdown: null,
  },
  breakdown: { steps: [opened, further[3]!], breakdown: { scope: 'DEVICE', property: 'country' } },
};

export function funnelFamilies(report: Report): FunnelFamily[] {
  return Object.entries(shapes).flatMap(([shape, parts]) =>
    (['ORDERED', 'ANY'] as const).flatMap((order) =>
      (['DEVICE', 'USER'] as const).map((unit: Unit) => ({
        name: `funnel ${order}, ${shape}, ${unit}`,
        question: { ...report, ...parts, order, unit, withinMicros: 7n * 86_400_000_000n },
      })),
    ),
  );
}
