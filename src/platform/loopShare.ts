// Gives work that blocks the event loop its turns: one slice at a time, with rests while the loop is needed for other work.
import { performance } from 'node:perf_hooks';

interface Arrivals {
  count: number;
  withinMillis: number;
  /** So long it stays needed: a loop that is held takes few pieces of other work, and would seem not to be needed. */
  heldMillis: number;
}

export interface LoopShareBounds {
  /** After this time a slice asks for another turn. */
  sliceMillis: number;
  /** The part of the thread's processor time that slices get while other work needs the loop. */
  share: number;
  /** And of the time in which the loop waits. */
  idleShare: number;
  /** What slices may take at once before they rest. */
  burstMillis: number;
  /** So many pieces of other work within this time need the loop. */
  needed: Arrivals;
}

export interface Turns {
  /** Resolves when a slice may begin. The lanes take turns; within a lane turns are in the order of arrival. */
  turn(lane: string): Promise<void>;
  /** For work in many small pieces, before each of them: undefined while the slice goes on. */
  pause(lane: string): Promise<void> | undefined;
  /** Counts time of the thread that no slice has measured. */
  charge(millis: number): void;
}

export interface LoopShare extends Turns {
  /** Other work has come. */
  needed(): void;
}

export function createLoopShare(bounds: LoopShareBounds): LoopShare {
  const lanes = createLanes();
  const account = createAccount(bounds);
  let scheduled = false;
  /** Two immediates, so that between them runs nothing but the slice. */
  const begin = (): void => {
    setImmediate(() => {
      account.begin();
      lanes.next()?.();
    });
    setImmediate(() => {
      account.end(performance.now());
      scheduled = false;
      schedule();
    });
  };
  const schedule = (): void => {
    if (scheduled || lanes.isEmpty()) return;
    scheduled = true;
    const wait = account.wait();
    if (wait > 0) setTimeout(lookAgain, wait);
    else begin();
  };
  const lookAgain = (): void => {
    scheduled = false;
    schedule();
  };
  const turn = (lane: string): Promise<void> =>
    new Promise((resolve) => {
      lanes.add(lane, resolve);
      schedule();
    });
  const pause = (lane: string): Promise<void> | undefined => (account.goesOn() ? undefined : turn(lane));
  return { needed: account.needed, turn, pause, charge: account.charge };
}

const mostMillis = 50;
const within = (least: number, millis: number): number => Math.min(Math.max(least, millis), mostMillis);

/** What the slices have taken, less what has been given back since. */
function createAccount(bounds: LoopShareBounds) {
  const { sliceMillis, share, burstMillis, needed } = bounds;
  const arrivals = createArrivals(needed);
  const given = createGiven(bounds, arrivals);
  let [debt, lastPiece] = [0, 0];
  let began: number | null = null;
  const end = (now: number): void => {
    // A slice that the system has interrupted counts as one.
    if (began !== null) debt += within(0, now - began);
    began = null;
  };
  return {
    needed: arrivals.note,
    charge(millis: number): void {
      // The time has passed already: while nothing else needs the loop, it has been given back.
      if (arrivals.areMany(performance.now())) debt += millis;
    },
    begin: (): void => void (began = performance.now()),
    end,
    /** A response of the database can begin a slice, too. It ends with its last piece, because uploads may follow. */
    goesOn(): boolean {
      const now = performance.now();
      lastPiece = now;
      if (began === null) {
        began = now;
        setImmediate(() => end(lastPiece));
      }
      return now - began < sliceMillis;
    },
    /** The time until the next look: the other work may end meanwhile. */
    wait(): number {
      debt = Math.max(0, debt - given());
      const excess = debt - burstMillis;
      return excess <= 0 ? 0 : within(1, arrivals.areMany(performance.now()) ? excess / share : excess);
    },
  };
}

/** The time that slices may take for what has passed since the last call. */
function createGiven({ share, idleShare }: LoopShareBounds, arrivals: { areMany(now: number): boolean }): () => number {
  let last = clocks();
  return () => {
    const now = clocks();
    const passed = now.wall - last.wall;
    const own = share * (now.cpu - last.cpu) + idleShare * (now.idle - last.idle);
    last = now;
    return arrivals.areMany(now.wall) ? Math.min(passed, own) : passed;
  };
}

function createArrivals({ count, withinMillis, heldMillis }: Arrivals) {
  const last = new Float64Array(count).fill(-Infinity);
  let [at, heldUntil] = [0, -Infinity];
  return {
    note(this: void): void {
      const now = performance.now();
      last[at] = now;
      at = (at + 1) % count;
      if (now - last[at]! < withinMillis) heldUntil = now + heldMillis;
    },
    areMany: (now: number): boolean => now < heldUntil,
  };
}

/** In milliseconds. */
interface Clocks {
  wall: number;
  /** Where other processes take the cores, a share of the time on the wall would be half of what is left for the thread. */
  cpu: number;
  /** The loop waited. It may have waited for a database that needs the same cores. */
  idle: number;
}

/** Node 24 has `threadCpuUsage`. Elsewhere the collector's threads count too. */
const thread = process as NodeJS.Process & { threadCpuUsage?: () => NodeJS.CpuUsage };

function clocks(): Clocks {
  const { user, system } = thread.threadCpuUsage?.() ?? process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1_000, idle: performance.eventLoopUtilization().idle };
}

function createLanes() {
  const lanes = new Map<string, (() => void)[]>();
  return {
    isEmpty: (): boolean => lanes.size === 0,
    add(lane: string, begin: () => void): void {
      const waiting = lanes.get(lane);
      if (waiting) waiting.push(begin);
      else lanes.set(lane, [begin]);
    },
    /** The first of the first lane, which then waits behind the others. */
    next(): (() => void) | undefined {
      const [first] = lanes;
      if (!first) return undefined;
      const [lane, waiting] = first;
      lanes.delete(lane);
      const begin = waiting.shift();
      if (waiting.length > 0) lanes.set(lane, waiting);
      return begin;
    },
  };
}
