// How the note of a tile compares its figure with the one before.
import { change } from '../figures.ts';

type Figure = number | null | undefined;

/**
 * `+12.5 % from 1,024`: the figure before is there, so that nobody has to trust a percentage of three devices. `0 before`
 * where there is no percentage of nothing.
 */
export function beforeNote(now: Figure, before: Figure, format: (before: number) => string): string {
  if (before === null || before === undefined) return 'none before';
  if (now === before) return 'unchanged';
  const grown = now === null || now === undefined ? null : change(now, before);
  return grown === null ? `${format(before)} before` : `${grown} from ${format(before)}`;
}
