// What follows from a funnel's figures without asking the service.
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { breakdownWords } from '../../parts/events/selection.ts';
import { windowUnits } from '../searches.ts';
import { type FunnelQuestion } from './question.ts';

/** Units that entered after this instant may still take steps; null where the window of all has ended. */
export function stillOpenFrom(question: FunnelQuestion, asOf: string, timeZone: string): number | null {
  const { within, to } = question;
  const instant = Date.parse(asOf) - within.value * windowUnits[within.unit] * 1_000;
  const day = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(instant));
  return day <= to ? instant : null;
}

/** One value of the breakdown, for what is behind its figures. */
export interface Part {
  value: unknown;
  isOther: boolean;
}

interface Figure {
  step: number;
  dropped: boolean;
  /** Null: of the whole funnel. */
  part: Part | null;
}

export function behindOf(question: FunnelQuestion, { step, dropped, part }: Figure): Behind {
  const { name } = question.steps[step]!;
  const where = part ? `, ${question.breakdown?.property ?? ''}: ${breakdownWords(part.value, part.isOther)}` : '';
  const title = dropped ? `Dropped before step ${step + 1}, ${name}${where}` : `Step ${step + 1}, ${name}${where}`;
  const line = part && (part.isOther ? { isOther: true } : { breakdownValue: part.value });
  return { title, of: { funnel: question }, point: { funnel: { step, ...(dropped && { dropped }), ...line } } };
}
