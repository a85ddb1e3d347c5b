// Runs work that blocks the event loop in slices, and lets the loop serve other work between two slices.
import { connectionsWait } from './httpServer/acceptQueue.ts';

export interface SliceBounds {
  /** After this time a slice begins no further piece. */
  sliceMillis: number;
  /** Turns of the event loop before the next slice. */
  rounds: number;
}

/**
 * While connections wait to be accepted, the loop has this time for them after a slice that left nothing: the pieces of that
 * time make one large batch. After any other slice it has as long as that slice took. With a slice in each round 100 to 500
 * of 2,000 connections were accepted in a second.
 */
const acceptMillis = 20;

export type InSlices = <Result>(work: () => Result) => Promise<Result>;

/** Pieces run in the order of arrival. A slice runs at least one. */
export function createSlices({ sliceMillis, rounds }: SliceBounds): InSlices {
  const waiting: (() => void)[] = [];
  let acceptUntil = 0;
  const slice = (): void => {
    const begun = performance.now();
    if (begun < acceptUntil && connectionsWait()) return sliceAfter(1);
    const end = begun + sliceMillis;
    let piece = waiting.shift();
    for (; piece; piece = performance.now() < end ? waiting.shift() : undefined) piece();
    const ended = performance.now();
    acceptUntil = ended + (waiting.length > 0 ? ended - begun : acceptMillis);
    if (waiting.length > 0) sliceAfter(rounds);
  };
  const sliceAfter = (left: number): void => void setImmediate(left > 1 ? () => sliceAfter(left - 1) : slice);
  return (work) =>
    new Promise((resolve) => {
      // An exception inside a promise's executor rejects the promise.
      const piece = (): void => resolve(new Promise((done) => done(work())));
      if (waiting.push(piece) === 1) sliceAfter(1);
    });
}
