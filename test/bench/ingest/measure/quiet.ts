// What the machine was like while a phase ran, and patience: with it a phase waits for a quiet moment, and one that was
// disturbed is repeated.
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { CoreProbe, type CoreState } from './coreProbe.ts';
import type { Phase } from './phase.ts';
import { machineSeconds } from './processUsage.ts';

/** With the worse of the states before it and after it. */
export type WatchedPhase = Phase & CoreState;

/** Cores that others may keep busy in a quiet moment. */
const quietCores = 0.15;
/** Of the cores that the machine has, and of the most that one of them did. */
const wholeShare = 0.9;
const sampleMillis = 500;
const longestWaitMillis = 10 * 60_000;
const mostTries = 20;

export interface Watch {
  patient: boolean;
  probe: CoreProbe;
  /** Of all states so far. */
  bestSpeed: number;
}

export async function startWatch(patient: boolean): Promise<Watch> {
  return { patient, probe: await CoreProbe.start(), bestSpeed: 0 };
}

/** `run` is called with the number of the try; after too many tries the last phase counts, disturbed as it was. */
export async function watched(watch: Watch, run: (attempt: number) => Promise<Phase>): Promise<WatchedPhase> {
  for (let attempt = 1; ; attempt++) {
    const before = watch.patient ? await quietMoment(watch) : await coreState(watch);
    const measured = await run(attempt);
    const phase = { ...measured, ...worseOf(before, await coreState(watch)) };
    if (!watch.patient || wasQuiet(phase, watch.bestSpeed) || attempt === mostTries) return phase;
  }
}

/** `bestSpeed` is that of the whole run. */
export function wasQuiet(
  { otherCores, ...state }: Pick<WatchedPhase, 'otherCores' | keyof CoreState>,
  bestSpeed: number,
): boolean {
  return (otherCores ?? 0) <= quietCores && isWhole(state, bestSpeed);
}

/** Cores that are shared with nobody: neither with each other nor with a neighbour. */
function isWhole({ cores, speed }: CoreState, bestSpeed: number): boolean {
  return cores >= wholeShare * availableParallelism() && speed >= wholeShare * bestSpeed;
}

async function coreState(watch: Watch): Promise<CoreState> {
  const state = await watch.probe.measure();
  watch.bestSpeed = Math.max(watch.bestSpeed, state.speed);
  return state;
}

function worseOf(one: CoreState, other: CoreState): CoreState {
  return { cores: Math.min(one.cores, other.cores), speed: Math.min(one.speed, other.speed) };
}

/** Answers the state at its end, be it quiet or the wait too long. */
async function quietMoment(watch: Watch): Promise<CoreState> {
  const deadline = performance.now() + longestWaitMillis;
  for (;;) {
    const busy = machineSeconds();
    await pause(sampleMillis);
    const others = busy === null ? null : (machineSeconds()! - busy) / (sampleMillis / 1_000);
    const state = await coreState(watch);
    if (wasQuiet({ otherCores: others, ...state }, watch.bestSpeed) || performance.now() > deadline) return state;
  }
}
