// How the note of a tile compares its figure with the one before.
import { change } from '../figures.ts';

/**
 * `+12.5 % from 1,024`, `unchanged`, and `0 before` where there is no percentage of nothing. `text` is the figure before
 * as it is shown.
 */
export function beforeNote(now: number, before: number, text: string): string {
  if (now === before) return 'unchanged';
  const grown = change(now, before);
  return grown === null ? `${text} before` : `${grown} from ${text}`;
}
