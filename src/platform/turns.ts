// Work that takes much memory or a thread: a few pieces side by side, the others in the order they came, and not without end.

export interface TurnBounds {
  atOnce: number;
  longestQueue: number;
  /** What whoever comes after that is told. */
  refusal: () => Error;
}

export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns({ atOnce, longestQueue, refusal }: TurnBounds): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === atOnce) {
      if (waiting.length === longestQueue) throw refusal();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
