// Judges whether the machine was quiet during a phase, by work that is the same for each event in every phase of a target.
//
// The cores of a virtual machine may be two threads of one core of the host, or be shared with a neighbour. Such cores are
// as busy as ever but do 0.6 of the work, and no counter of the guest shows it. This changes from one second to the next,
// so a measurement before or after a phase shows nothing about the phase.
import type { Phase } from './phase.ts';

/** The number of cores that other processes may keep busy in a quiet phase. */
const mostOtherCores = 0.15;
/** As a share of the fastest phase's speed. */
const leastSpeed = 0.9;
const mostTries = 20;

/**
 * The speed among phases of one target and shape: 1 for the phase on the fastest cores; null when the system does not
 * report it.
 */
export function speedOf({ constantMicros }: Phase, phases: readonly Phase[]): number | null {
  const least = Math.min(...phases.map((phase) => phase.constantMicros ?? Infinity));
  return constantMicros === null ? null : least / constantMicros;
}

/** True when no other process ran, and the cores were as fast as in the fastest of `phases`, within the bounds above. */
export function wasQuiet(phase: Phase, phases: readonly Phase[]): boolean {
  return (phase.otherCores ?? 0) <= mostOtherCores && (speedOf(phase, phases) ?? 1) >= leastSpeed;
}

/** If `patient`, repeats a disturbed phase. After 20 tries the last one counts as it is. */
export async function patiently(
  patient: boolean,
  run: (attempt: number) => Promise<Phase>,
  earlier: readonly Phase[],
): Promise<Phase> {
  const tries: Phase[] = [];
  for (;;) {
    const phase = await run(tries.length + 1);
    tries.push(phase);
    if (!patient || tries.length === mostTries || wasQuiet(phase, [...earlier, ...tries])) return phase;
  }
}
