// Runs work that blocks the event loop in slices, and lets the loop serve other work between two slices.
import { waitedMillis } from './httpServer/acceptQueue.ts';

export interface SliceBounds {
  /** After this time a slice begins no further piece. */
  sliceMillis: number;
  /** Turns of the event loop before the next slice. */
  rounds: number;
}

/**
 * While connections have been waiting for so long, no slice begins before the loop has had as much time for them as the
 * last slice took: with a slice in each round 100 to 500 of 2,000 connections were accepted in a second.
 */
const acceptFirstMillis = 20;

export type InSlices = <Result>(work: () => Result) => Promise<Result>;

/** Pieces run in the order of arrival. A slice runs at least one. */
export function createSlices({ sliceMillis, rounds }: SliceBounds): InSlices {
  const waiting: (() => void)[] = [];
  const last = { end: 0, took: 0 };
  const slice = (): void => {
    const begun = performance.now();
    if (begun < last.end + last.took && waitedMillis() > acceptFirstMillis) return sliceAfter(1);
    const end = begun + sliceMillis;
    let piece = waiting.shift();
    for (; piece; piece = performance.now() < end ? waiting.shift() : undefined) piece();
    last.end = performance.now();
    last.took = last.end - begun;
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
