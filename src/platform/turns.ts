// Lets a few pieces of expensive work run at once (memory, a thread, a connection). Those that wait take turns by whose they are.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Items that wait, each in a lane: that of its application, its organization or its network. Lanes take turns. */
export class Turns<Item> {
  /** In the order of their next turns. None is empty. */
  readonly #lanes = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(lane: string, item: Item): void {
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push(item);
    else this.#lanes.set(lane, [item]);
    this.#length += 1;
  }

  /** The first item of the first lane that `mayBegin`, which then waits behind the other lanes. */
  next(mayBegin: (lane: string) => boolean = () => true): { lane: string; item: Item } | undefined {
    for (const [lane, waiting] of this.#lanes) {
      if (!mayBegin(lane)) continue;
      this.#lanes.delete(lane);
      const item = waiting.shift()!;
      if (waiting.length > 0) this.#lanes.set(lane, waiting);
      this.#length -= 1;
      return { lane, item };
    }
    return undefined;
  }

  /** False where it does not wait. */
  remove(lane: string, item: Item): boolean {
    const waiting = this.#lanes.get(lane) ?? [];
    const position = waiting.indexOf(item);
    if (position < 0) return false;
    waiting.splice(position, 1);
    if (waiting.length === 0) this.#lanes.delete(lane);
    this.#length -= 1;
    return true;
  }

  /** Whether a full queue has room for one more of this lane, at the cost of the lane that waits with most. */
  mayPushOut(lane: string): boolean {
    const own = this.#lanes.get(lane)?.length ?? 0;
    for (const { length } of this.#lanes.values()) if (length > own + 1) return true;
    return false;
  }

  /** Takes out the latest item of the lane that waits with most. */
  pushOut(): Item | undefined {
    let [longest, most]: [string | undefined, Item[]] = [undefined, []];
    for (const [lane, waiting] of this.#lanes) if (waiting.length > most.length) [longest, most] = [lane, waiting];
    const item = most.at(-1);
    if (longest !== undefined && item !== undefined) this.remove(longest, item);
    return item;
  }
}

export interface LimiterBounds {
  atOnce: number;
  /** Of one lane. Default: `atOnce`. */
  ofOneLane?: number;
  /** Whoever comes behind so many is refused, or the latest of the lane that waits with most. */
  longestQueue: number;
  /** The longest wait for a turn. Default: no limit. */
  patienceMillis?: number;
  /** The error of whoever is refused. */
  refusal: () => Error;
}

/** Runs the work when it is the lane's turn. Default lane: that of the request (`inLane`). */
export type InTurn = <Result>(work: () => Promise<Result>, lane?: string) => Promise<Result>;

interface Waiting {
  begin(): void;
  refuse(): void;
}

export function createLimiter(bounds: LimiterBounds): InTurn {
  const { atOnce, ofOneLane = atOnce, longestQueue, patienceMillis, refusal } = bounds;
  const waiting = new Turns<Waiting>();
  const running = new Map<string, number>();
  let all = 0;
  const mayBegin = (lane: string): boolean => all < atOnce && (running.get(lane) ?? 0) < ofOneLane;
  const begin = (lane: string): void => {
    all += 1;
    running.set(lane, (running.get(lane) ?? 0) + 1);
  };
  const end = (lane: string): void => {
    all -= 1;
    const left = running.get(lane)! - 1;
    if (left > 0) running.set(lane, left);
    else running.delete(lane);
    for (let next = waiting.next(mayBegin); next; next = waiting.next(mayBegin)) {
      begin(next.lane);
      next.item.begin();
    }
  };
  const turn = (lane: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const item: Waiting = {
        begin: () => (clearTimeout(timer), resolve()),
        refuse: () => (clearTimeout(timer), reject(refusal())),
      };
      const giveUp = (): void => void (waiting.remove(lane, item) && item.refuse());
      const timer = patienceMillis === undefined ? undefined : setTimeout(giveUp, patienceMillis);
      waiting.add(lane, item);
    });
  return async (work, lane = currentLane()) => {
    if (mayBegin(lane)) begin(lane);
    else {
      if (waiting.length >= longestQueue) {
        if (!waiting.mayPushOut(lane)) throw refusal();
        waiting.pushOut()!.refuse();
      }
      await turn(lane);
    }
    try {
      return await work();
    } finally {
      end(lane);
    }
  };
}

/** The lane of a request, which the pool and the engine of analytics cannot see. */
const lanes = new AsyncLocalStorage<{ lane: string }>();

/** Everything that `work` begins waits in this lane. */
export const inLane = <Result>(lane: string, work: () => Result): Result => lanes.run({ lane }, work);

/** The same lane for all that has no request. */
export const currentLane = (): string => lanes.getStore()?.lane ?? '';
