// Runs work that blocks the event loop in slices, and lets the loop serve other work between two slices.

export interface SliceBounds {
  /** After this time a slice begins no further piece. */
  sliceMillis: number;
  /** Turns of the event loop before the next slice. */
  rounds: number;
}

export type InSlices = <Result>(work: () => Result) => Promise<Result>;

/** Pieces run in the order of arrival. A slice runs at least one. */
export function createSlices({ sliceMillis, rounds }: SliceBounds): InSlices {
  const waiting: (() => void)[] = [];
  const slice = (): void => {
    const end = performance.now() + sliceMillis;
    let piece = waiting.shift();
    for (; piece; piece = performance.now() < end ? waiting.shift() : undefined) piece();
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
