// One phase: some seconds of load on one target with its cost, and a check that every acknowledged upload is stored.
import type { LoadGenerator, LoadPlan, LoadResult } from '../load/plan.ts';
import { eventsOf } from '../shapes.ts';
import { withClient, type BenchServer } from '../targets/benchDatabase.ts';
import type { Target } from '../targets/target.ts';
import { cpuSeconds, machineSeconds } from './processUsage.ts';
import { countStored, nextTransaction, type StoredRows } from './storedRows.ts';

export interface Phase {
  eventsPerSecond: number;
  uploadsPerSecond: number;
  p50Millis: number;
  p99Millis: number;
  /** Processor time per event; null when the system does not report it. */
  cpuMicros: Record<'target' | 'postgres' | 'load', number | null>;
  /**
   * The part of `cpuMicros` that is the same work in every phase of a target: the generator's, and PostgreSQL's if the
   * target has no database.
   */
  constantMicros: number | null;
  /** The number of cores that other processes kept busy. If it is far from 0, the figures are worth little. */
  otherCores: number | null;
}

export interface PhaseTools {
  server: BenchServer;
  load: LoadGenerator;
}

/**
 * The time of the same load before the phase, which is not counted. V8 releases memory and code while a process is
 * idle: a phase after 30 idle seconds stored 0.92 of the rows of the next phase (median of seven).
 */
const leadInSeconds = 1;

export async function runPhase(target: Target, plan: LoadPlan, tools: PhaseTools): Promise<Phase> {
  const end = target.during?.();
  try {
    return await measurePhase(target, plan, tools);
  } finally {
    await end?.();
    await target.settled?.();
  }
}

async function measurePhase(target: Target, plan: LoadPlan, { server, load }: PhaseTools): Promise<Phase> {
  // This phase must not write the pages that the last phase changed. The checkpoint precedes the lead-in, because the
  // first change of a page after a checkpoint logs the whole page: one page per upload right after a checkpoint, but
  // only once in five minutes otherwise.
  await withClient(server.url, (client) => client.query('CHECKPOINT'));
  const leadIn = await load.prepare({
    ...plan,
    seconds: leadInSeconds,
    uploads: plan.cycle ? plan.uploads : Math.ceil((plan.uploads / plan.seconds) * leadInSeconds),
    name: `${plan.name}-lead-in`,
  });
  const led = await leadIn.run();
  // wrk does not wait for its requests under way. The service may store them within the phase.
  const leftOver = led.sent - acceptedBy(target, led);
  // Prepared only now: a generator holds one load.
  const prepared = await load.prepare(plan);
  const since = target.databaseUrl === null ? null : await nextTransaction(target.databaseUrl);
  const before = usage(target.pids, server);
  const result = await prepared.run();
  const spent = difference(before, usage(target.pids, server));
  const uploads = acceptedBy(target, result);
  if (since !== null && !plan.cycle) {
    const stored = await countStored(target.databaseUrl!, since, result.acknowledged ?? []);
    checkStored(stored, { ...result, sent: result.sent + leftOver }, plan);
  }
  return {
    eventsPerSecond: (uploads * eventsOf(plan.shape)) / result.seconds,
    uploadsPerSecond: uploads / result.seconds,
    p50Millis: result.p50Millis,
    p99Millis: result.p99Millis,
    ...processorTime(spent, { ...result, events: uploads * eventsOf(plan.shape) }),
  };
}

/** Throws when a status is not 200: a benchmark of refusals would be worth nothing. */
function acceptedBy({ name }: Target, { statuses }: LoadResult): number {
  const others = Object.entries(statuses).filter(([status]) => status !== '200');
  if (others.length === 0) return statuses[200] ?? 0;
  throw new Error(`${name} answered ${others.map(([status, count]) => `${count} × ${status}`).join(', ')}`);
}

/** Every acknowledged upload is stored whole and once, and nothing is stored that was not sent. */
function checkStored(stored: StoredRows, { sent, statuses, acknowledged }: LoadResult, { shape }: LoadPlan): void {
  const { sessions, eventsPerSession, flushes } = shape;
  const accepted = statuses[200] ?? 0;
  const least = { sessions: Math.ceil((accepted * sessions) / flushes), events: accepted * eventsOf(shape) };
  const most = { sessions: sent * sessions, events: sent * eventsOf(shape) };
  const complete = stored.sessions >= least.sessions && stored.events >= least.events;
  const single = stored.sessions <= most.sessions && stored.events <= most.events;
  const names = new Set(acknowledged).size;
  const { named } = stored;
  const whole = named.events >= least.events && named.events <= names * eventsPerSession * flushes;
  const byName = acknowledged === null || (named.sessions === names && whole);
  if (!complete || !single || !byName) {
    throw new Error(
      `acknowledged ${JSON.stringify(least)}, sent ${JSON.stringify(most)}, stored ${JSON.stringify(stored)}`,
    );
  }
}

/** Processor seconds; null when the system does not report them. */
export type Usage = Record<'target' | 'postgres' | 'machine', number | null>;

export function usage(pids: number[], server: BenchServer): Usage {
  return {
    target: sum(pids.map((pid) => cpuSeconds(pid))),
    postgres: cpuSeconds(server.pid, { children: true }),
    machine: machineSeconds(),
  };
}

export function difference(before: Usage, after: Usage): Usage {
  const spent = (part: keyof Usage): number | null => {
    const [from, to] = [before[part], after[part]];
    return from === null || to === null ? null : to - from;
  };
  return { target: spent('target'), postgres: spent('postgres'), machine: spent('machine') };
}

/** Null when one of the values is null. */
export function sum(values: number[]): number;
export function sum(values: (number | null)[]): number | null;
export function sum(values: (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

export interface Work {
  events: number;
  seconds: number;
  /** Processor seconds of the generator. */
  cpuSeconds: number;
}

export function processorTime({ target, postgres, machine }: Usage, { events, seconds, cpuSeconds }: Work) {
  const micros = (spent: number | null): number | null => (spent === null ? null : (spent * 1e6) / events);
  const ours = (target ?? 0) + (postgres ?? 0) + cpuSeconds;
  return {
    cpuMicros: { target: micros(target), postgres: micros(postgres), load: micros(cpuSeconds) },
    constantMicros: micros(cpuSeconds),
    otherCores: machine === null ? null : Math.max(0, (machine - ours) / seconds),
  };
}
