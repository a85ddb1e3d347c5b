// What the machine was like while a phase ran, told by work that is the same for each event in every phase of a target.
//
// The cores of a virtual machine may be two threads of one core of the host, or share theirs with a neighbour. They are as
// busy as ever then, do 0.6 of the work, and no counter of the guest shows it. It changes from one second to the next, so
// that a measurement before the phase, or behind it, says nothing of the phase.
import type { Phase } from './phase.ts';

/** Cores that others may keep busy. */
const mostOtherCores = 0.15;
/** Of the fastest phase. */
const leastSpeed = 0.9;
const mostTries = 20;

/** Of phases of one target and shape: 1 for the one on the fastest cores; null where the system does not tell. */
export function speedOf({ constantMicros }: Phase, phases: readonly Phase[]): number | null {
  const least = Math.min(...phases.map((phase) => phase.constantMicros ?? Infinity));
  return constantMicros === null ? null : least / constantMicros;
}

/** That nothing else ran, and that no core was shared that was not in `phases`' fastest one. */
export function wasQuiet(phase: Phase, phases: readonly Phase[]): boolean {
  return (phase.otherCores ?? 0) <= mostOtherCores && (speedOf(phase, phases) ?? 1) >= leastSpeed;
}

/** With patience a phase that was disturbed is repeated, at most so often that the last one counts as it is. */
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
