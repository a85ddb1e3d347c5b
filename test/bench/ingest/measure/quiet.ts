// Patience: on a machine that others use too, a phase waits for a quiet moment, and one that was disturbed is repeated.
import { setTimeout as pause } from 'node:timers/promises';
import type { Phase } from './phase.ts';
import { machineSeconds } from './processUsage.ts';

/** Cores that others may keep busy in a quiet moment. */
const quietCores = 0.15;
const sampleMillis = 500;
const longestWaitMillis = 10 * 60_000;
const mostTries = 20;

/** `run` is called with the number of the try; after too many tries the last phase counts, disturbed as it was. */
export async function whenQuiet(patient: boolean, run: (attempt: number) => Promise<Phase>): Promise<Phase> {
  for (let attempt = 1; ; attempt++) {
    if (patient) await quietMoment();
    const phase = await run(attempt);
    if (!patient || (phase.otherCores ?? 0) <= quietCores || attempt === mostTries) return phase;
  }
}

async function quietMoment(): Promise<void> {
  const deadline = performance.now() + longestWaitMillis;
  let busy = machineSeconds();
  while (busy !== null && performance.now() < deadline) {
    await pause(sampleMillis);
    const now = machineSeconds()!;
    if ((now - busy) / (sampleMillis / 1_000) <= quietCores) return;
    busy = now;
  }
}
