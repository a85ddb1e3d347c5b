// Lets one piece of work in each lane run at a time; those of other lanes run beside it.
import { performance } from 'node:perf_hooks';
import type { TurnBounds } from './turns.ts';

/** Resolves when the lane's earlier pieces have ended. `ended` says when this piece has: also while it still waits. */
export type LaneSlots = (lane: string, ended: Promise<void>) => Promise<void>;

/** After each piece its lane rests for `restMillis` of the time that the piece took. */
export function createLaneSlots(restMillis: NonNullable<TurnBounds['restMillis']> = () => 0): LaneSlots {
  const last = new Map<string, Promise<void>>();
  const run = async (ended: Promise<void>): Promise<void> => {
    const begun = performance.now();
    await ended;
    const rest = restMillis(performance.now() - begun);
    if (rest > 0) await new Promise<void>((resolve) => setTimeout(resolve, rest).unref());
  };
  return (lane, ended) => {
    const before = last.get(lane) ?? Promise.resolve();
    const after = before.then(() => run(ended));
    last.set(lane, after);
    void after.then(() => {
      if (last.get(lane) === after) last.delete(lane);
    });
    return before;
  };
}
