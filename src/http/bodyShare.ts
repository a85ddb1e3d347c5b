// What bodies of one kind share, so that those of another kind cannot take it: room in memory, and turns to be inflated.
import { unavailable } from '../platform/errors.ts';
import { createTurns, type InTurn } from '../platform/turns.ts';
import { BodyBudget } from './bodyBudget.ts';

export interface BodyShare {
  budget: BodyBudget;
  /** Of 8 kB sent, 8 MiB can come: a body keeps its turn from before it is inflated until it has been read. */
  inTurn: InTurn;
}

/**
 * `room` in bytes, as sent. Sixty clients that sent 12 kB of attribution each, which inflate to 8 MiB, left an upload 0.3 s
 * in the median; with one room for both, 49 of 50 uploads were refused.
 */
export function createBodyShare({ room, inflatedAtOnce }: { room: number; inflatedAtOnce: number }): BodyShare {
  const inTurn = createTurns({ atOnce: inflatedAtOnce, longestQueue: 200, refusal: unavailable });
  return { budget: new BodyBudget(room), inTurn };
}
