// What the URL of a funnel names: its steps, its window, its breakdown, and the range.
import { z } from 'zod';
import { breakdown, selection, selectionInput, type Breakdown, type Selection } from '../../parts/events/selection.ts';
import { rangeSearch, type Range } from '../../parts/range/range.ts';
import { flag, json } from '../../parts/searchParameters.ts';

export const mostSteps = 8;
export const windowUnits = { MINUTE: 60, HOUR: 3_600, DAY: 86_400 } as const;
export type WindowUnit = keyof typeof windowUnits;
/** schema.graphql (FunnelWindowInput): at most 366 days. */
export const mostOf = (unit: WindowUnit): number => (366 * 86_400) / windowUnits[unit];

const within = z
  .object({ value: z.int().min(1), unit: z.enum(['MINUTE', 'HOUR', 'DAY']) })
  .refine(({ value, unit }) => value <= mostOf(unit));

export const funnelSearch = rangeSearch.extend({
  steps: json(z.array(selection).max(mostSteps)),
  within: json(within),
  order: z.enum(['ORDERED', 'ANY']).optional().catch(undefined),
  breakdown: json(breakdown),
  test: flag,
});
export type FunnelSearch = z.infer<typeof funnelSearch>;

/** What the editor edits. */
export interface Definition {
  steps: Selection[];
  within: { value: number; unit: WindowUnit };
  order: 'ORDERED' | 'ANY';
  breakdown: Breakdown | null;
}

export function definitionOf({ steps = [], within, order, breakdown }: FunnelSearch): Definition {
  return {
    steps,
    within: within ?? { value: 7, unit: 'DAY' },
    order: order ?? 'ORDERED',
    breakdown: breakdown ?? null,
  };
}

export function funnelInput(definition: Definition, range: Range, of: { applicationId: string; test: boolean }) {
  const { steps, within, order, breakdown } = definition;
  const { from, to, unit } = range;
  return {
    applicationId: of.applicationId,
    steps: steps.map(selectionInput),
    ...{ within, order, breakdown, from, to, unit },
    includeTest: of.test,
  };
}
export type FunnelQuestion = ReturnType<typeof funnelInput>;
