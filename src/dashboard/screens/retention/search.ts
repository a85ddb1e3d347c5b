// What the URL of a retention names: what begins a cohort, what counts as a return, its periods, and the range.
import { z } from 'zod';
import { selection, selectionInput, type Selection } from '../../parts/events/selection.ts';
import { rangeSearch, type Range } from '../../parts/range/range.ts';
import { flag, json, wholeNumber } from '../../parts/searchParameters.ts';

/** schema.graphql (RetentionInput): 1 to 53 periods. */
export const mostPeriods = 53;

export const retentionSearch = rangeSearch.extend({
  /** Absent: the first activity. */
  start: json(selection),
  /** Absent: any activity. */
  returning: json(selection),
  mode: z.enum(['ON', 'ON_OR_AFTER']).optional().catch(undefined),
  periods: wholeNumber(1, mostPeriods),
  test: flag,
});
export type RetentionSearch = z.infer<typeof retentionSearch>;

/** What the editor edits. */
export interface Definition {
  start: Selection | null;
  returning: Selection | null;
  mode: 'ON' | 'ON_OR_AFTER';
  periods: number;
}

export const definitionOf = ({ start, returning, mode, periods }: RetentionSearch): Definition => ({
  start: start ?? null,
  returning: returning ?? null,
  mode: mode ?? 'ON',
  periods: periods ?? 12,
});

export function retentionInput(definition: Definition, range: Range, of: { applicationId: string; test: boolean }) {
  const { start, returning, mode, periods } = definition;
  const { from, to, unit, interval } = range;
  return {
    applicationId: of.applicationId,
    start: start ? { event: selectionInput(start) } : { firstSeen: true },
    returning: returning ? { event: selectionInput(returning) } : { any: true },
    ...{ mode, periods, from, to, unit },
    // A retention has no hours; the URL may still name them.
    interval: interval === 'HOUR' ? ('DAY' as const) : interval,
    includeTest: of.test,
  };
}
export type RetentionQuestion = ReturnType<typeof retentionInput>;
