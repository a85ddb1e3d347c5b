// Concurrency limits: a fair queue, a limiter for expensive work, and a share of the pool. Applications, organizations and networks take turns.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

interface Lane<Item> {
  name: string;
  /** Never empty. */
  waiting: Item[];
}

/**
 * A queue of lanes, one for each application, organization or network. Lanes take turns. They are in an array: the tables
 * that a Map has outgrown kept uploads alive, a fifth of an upload's processor time (docs/decisions/v8-settings.md).
 */
export class FairQueue<Item> {
  /** In the order of their next turns. */
  readonly #lanes: Lane<Item>[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(name: string, item: Item): void {
    const lane = this.#lane(name);
    if (lane) lane.waiting.push(item);
    else this.#lanes.push({ name, waiting: [item] });
    this.#length += 1;
  }

  /** The first item of the first lane that `mayBegin`, which then waits behind the other lanes. */
  next(mayBegin: (name: string) => boolean = () => true): { lane: string; item: Item } | undefined {
    const at = this.#lanes.findIndex(({ name }) => mayBegin(name));
    const lane = this.#lanes[at];
    if (!lane) return undefined;
    const item = lane.waiting.shift()!;
    this.#length -= 1;
    if (this.#lanes.length > 1 || lane.waiting.length === 0) {
      this.#lanes.splice(at, 1);
      if (lane.waiting.length > 0) this.#lanes.push(lane);
    }
    return { lane: lane.name, item };
  }

  /** False where it does not wait. */
  remove(name: string, item: Item): boolean {
    const lane = this.#lane(name);
    const position = lane ? lane.waiting.indexOf(item) : -1;
    if (!lane || position < 0) return false;
    lane.waiting.splice(position, 1);
    if (lane.waiting.length === 0) this.#lanes.splice(this.#lanes.indexOf(lane), 1);
    this.#length -= 1;
    return true;
  }

  /** How many of one lane wait. */
  waitingOf(name: string): number {
    return this.#lane(name)?.waiting.length ?? 0;
  }

  /** Whether a full queue has room for one more of this lane, at the cost of the lane that waits with most. */
  mayPushOut(name: string): boolean {
    const own = this.waitingOf(name);
    return this.#lanes.some(({ waiting }) => waiting.length > own + 1);
  }

  /** Takes out the latest item of the lane that waits with most. */
  pushOut(): Item | undefined {
    const [first, ...others] = this.#lanes;
    if (!first) return undefined;
    const longest = others.reduce((most, lane) => (lane.waiting.length > most.waiting.length ? lane : most), first);
    const item = longest.waiting.at(-1)!;
    this.remove(longest.name, item);
    return item;
  }

  #lane(name: string): Lane<Item> | undefined {
    return this.#lanes.find((lane) => lane.name === name);
  }
}

export interface LimiterBounds {
  atOnce: number;
  /** Of one lane. Default: `atOnce`. */
  ofOneLane?: number;
  /** Whoever comes behind so many is refused, or the latest of the lane that waits with most. */
  longestQueue: number;
  /** Whoever comes behind so many of the own lane is refused. Default: no limit but `longestQueue`. */
  longestOfOneLane?: number;
  /** The longest wait for a turn. Default: no limit. */
  patienceMillis?: number;
  /** The error of whoever is refused. */
  refusal: () => Error;
}

/** Runs the work when there is room and it is the lane's turn. Default lane: that of the request (`inLane`). */
export type Limiter = <Result>(work: () => Promise<Result>, lane?: string) => Promise<Result>;

interface Waiting {
  begin(): void;
  refuse(): void;
}

export function createLimiter(bounds: LimiterBounds): Limiter {
  const { atOnce, ofOneLane = atOnce, longestQueue, longestOfOneLane = longestQueue, patienceMillis, refusal } = bounds;
  const waiting = new FairQueue<Waiting>();
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
      if (waiting.waitingOf(lane) >= longestOfOneLane) throw refusal();
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

// A share of the pool: its users together hold only some of the connections, and organizations take turns for them.

export interface PoolShare {
  connections: number;
  /** How long a request waits for a connection of the share. After it, or behind a long queue, the pool counts as exhausted. */
  patienceMillis: number;
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

const longestQueue = 500;
/** Begins with the pool's own message, which `classifyDatabaseError` knows. */
const exhausted = (): Error => new Error('timeout exceeded when trying to connect: the share of the pool is in use');

/**
 * For hand-written SQL and Prisma alike: everything that a pool does begins with `connect`. Work that holds a connection
 * of the share must not wait for a second one: all of them could wait for each other.
 */
export function poolShare(pool: Pool, { connections, patienceMillis }: PoolShare): Pool {
  // Slow statements of one organization leave a connection to the others.
  const ofOneLane = Math.max(1, connections - 1);
  const limiter = createLimiter({ atOnce: connections, ofOneLane, longestQueue, patienceMillis, refusal: exhausted });
  const take = (): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      limiter(async () => {
        const client = await pool.connect();
        const released = release(client);
        resolve(client);
        await released;
      }).catch(reject);
    });
  const connect = (connected?: Connected): Promise<PoolClient> | void => {
    if (!connected) return take();
    take().then(
      (client) => connected(undefined, client, () => client.release()),
      (error: Error) => connected(error, undefined, () => undefined),
    );
  };
  return new Proxy(pool, {
    get: (target, name, view) => (name === 'connect' ? connect : (Reflect.get(target, name, view) as unknown)),
  });
}

/** Resolves when the client is given back. The pool gives a client another `release` each time it hands it out. */
function release(client: PoolClient): Promise<void> {
  const giveBack = client.release;
  return new Promise((resolve) => {
    client.release = (error) => {
      giveBack(error);
      resolve();
    };
  });
}
