// Runs a few pieces of expensive work at once (memory, a thread, a connection). The others wait in a bounded queue.

export interface TurnBounds {
  /** It may change while pieces wait: each end of a piece looks again. */
  atOnce: number | (() => number);
  longestQueue: number;
  /** The longest wait for a turn. Default: no limit. */
  patienceMillis?: number;
  /** How long a turn stays taken after a piece that took so many milliseconds. Default: not at all. */
  restMillis?: (tookMillis: number) => number;
  /** The error when the queue is full, or after a wait of `patienceMillis`. */
  refusal: () => Error;
}

export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns({ atOnce, longestQueue, patienceMillis, restMillis, refusal }: TurnBounds): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  const isFree = (): boolean => running < (typeof atOnce === 'number' ? atOnce : atOnce());
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
  const giveBack = (): void => {
    running -= 1;
    while (waiting.length > 0 && isFree()) {
      running += 1;
      waiting.shift()!();
    }
  };
  return async (work) => {
    if (isFree()) running += 1;
    else if (waiting.length >= longestQueue) throw refusal();
    else await turn();
    const begun = performance.now();
    try {
      return await work();
    } finally {
      const rest = restMillis?.(performance.now() - begun) ?? 0;
      if (rest > 0) setTimeout(giveBack, rest).unref();
      else giveBack();
    }
  };
}
