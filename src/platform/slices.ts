// Work that holds the event loop, in slices: between two of them the loop comes round to everything else.

export interface SliceBounds {
  /** A slice begins nothing more after this. */
  sliceMillis: number;
  /** How often the loop comes round before the next slice. */
  rounds: number;
}

export type InSlices = <Result>(work: () => Result) => Promise<Result>;

/** Pieces of work are done in the order they came; a slice has at least one. */
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
      // What throws in a promise's executor rejects it.
      const piece = (): void => resolve(new Promise((done) => done(work())));
      if (waiting.push(piece) === 1) sliceAfter(1);
    });
}
