// The form of a rule: a pure function over a recording.
import type { Recorded, Recording } from '../recording.ts';

export type Verdict = 'kept' | 'broken' | 'notSeen';

export interface Finding {
  verdict: Verdict;
  /** What happened, of a broken rule. */
  problem?: string;
  /** The request that breaks the rule. */
  request?: Recorded;
}

export type Rule = (recording: Recording) => Finding;

export const notSeen: Finding = { verdict: 'notSeen' };

/** One observation: null when the rule is kept there. */
export interface Fault {
  problem: string;
  request: Recorded;
}

/** Broken at the first fault, kept when there was something to see. */
export function findingOf(observations: (Fault | null)[]): Finding {
  const fault = observations.find((one) => one !== null);
  if (fault) return { verdict: 'broken', ...fault };
  return observations.length > 0 ? { verdict: 'kept' } : notSeen;
}

/** A fault with this problem when `broken`; null otherwise. */
export function faultIf(broken: boolean, request: Recorded, problem: string): Fault | null {
  return broken ? { problem, request } : null;
}
