// Work that takes much memory, a thread or a connection: a few pieces side by side, the others in the order they came, and not without end.

export interface TurnBounds {
  atOnce: number;
  longestQueue: number;
  /** How long a piece waits for its turn. Default: as long as it takes. */
  patienceMillis?: number;
  /** What a piece is told that finds the queue full, or has waited for `patienceMillis`. */
  refusal: () => Error;
}

export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns({ atOnce, longestQueue, patienceMillis, refusal }: TurnBounds): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(refusal());
      };
      const timer = patienceMillis === undefined ? undefined : setTimeout(giveUp, patienceMillis);
      waiting.push(begin);
    });
  return async (work) => {
    if (running === atOnce) {
      if (waiting.length === longestQueue) throw refusal();
      await turn();
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
