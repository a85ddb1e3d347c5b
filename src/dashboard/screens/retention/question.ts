// The question as its editor edits it, and as the API takes it.
import type { Range } from '../../parts/range.ts';
import { selectionInput, type Selection } from '../../parts/selection.ts';
import type { RetentionSearch } from '../searches.ts';

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
