// The question as its editor edits it, and as the API takes it.
import type { Range } from '../../parts/range.ts';
import { selectionInput, type Breakdown, type Selection } from '../../parts/selection.ts';
import type { FunnelSearch, WindowUnit } from '../searches.ts';

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
