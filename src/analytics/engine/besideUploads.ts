// How the questions of a copy share the processor with uploads: freely, or, while uploads are short of it, one at a time and with rests.
import { cpus } from 'node:os';
import type { TurnBounds } from '../../platform/turns.ts';

/**
 * Of a question's time. Questions run on threads of DuckDB, and the operating system gives these a share beside PostgreSQL
 * whatever their priority is: ten dashboards that asked without rests left uploads 0.43 of their speed on two cores.
 */
const restShare = 8;
/** The other questions would wait for longer than their patience. */
const longestRestMillis = 15_000;

const lookMillis = 250;
/** Fewer uploads under way are not slowed enough to be seen. */
const manyUploads = 8;
/** Of the time of all cores. */
const idleShare = 0.1;
/** Uploads that have got their speed back would lose it again at once. */
const lastingMillis = 2_000;

/** `areBusy` says whether uploads are short of the processor; `most` questions run at once while they are not. */
export function besideUploads(areBusy: () => boolean, most: number): Pick<TurnBounds, 'atOnce' | 'restMillis'> {
  return {
    atOnce: () => (areBusy() ? 1 : most),
    restMillis: (took) => (areBusy() ? Math.min(took * restShare, longestRestMillis) : 0),
  };
}

/** Looks four times a second, as long as the process runs, whether many uploads are under way and the cores are taken. */
export function watchUploads(underWay: () => number, timesOfCores = coreTimes): () => boolean {
  let before = timesOfCores();
  let busyUntil = 0;
  setInterval(() => {
    const now = timesOfCores();
    const idle = (now.idle - before.idle) / (now.all - before.all);
    before = now;
    if (underWay() >= manyUploads && idle < idleShare) busyUntil = performance.now() + lastingMillis;
  }, lookMillis).unref();
  return () => performance.now() < busyUntil;
}

/** The milliseconds of all cores since the system started. */
function coreTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times);
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((core) => Object.values(core))) };
}
