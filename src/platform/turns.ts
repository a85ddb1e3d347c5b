// Runs a few pieces of expensive work at once (memory, a thread, a connection). The others wait in a bounded queue.

export interface TurnBounds {
  atOnce: number;
  longestQueue: number;
  /** The longest wait for a turn. Default: no limit. */
  patienceMillis?: number;
  /** The error when the queue is full, or after a wait of `patienceMillis`. */
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
