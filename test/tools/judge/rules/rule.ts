// The form of a rule: a pure function over a recording.
import type { Recorded, Recording } from '../recording.ts';

export type Verdict = 'kept' | 'broken' | 'notSeen';

export interface Finding {
  verdict: Verdict;
  /** What happened, of a broken rule. */
  problem?: string;
  /** The request that breaks the rule. */
  request?: Recorded;
  part?: Part;
}

/** The part of the request's body that a fault means. */
export interface Part {
  /** As a 422 would name it: openapi.yaml, "Paths in `fields`". */
  path: string;
  value: unknown;
}

export type Rule = (recording: Recording) => Finding;

export const notSeen: Finding = { verdict: 'notSeen' };

/** One observation: null when the rule is kept there. */
export interface Fault {
  problem: string;
  request: Recorded;
  part?: Part | undefined;
}

/** Broken at the first fault, kept when there was something to see. */
export function findingOf(observations: (Fault | null)[]): Finding {
  const fault = observations.find((one) => one !== null);
  if (fault) {
    const { part, ...rest } = fault;
    return { verdict: 'broken', ...rest, ...(part && { part }) };
  }
  return observations.length > 0 ? { verdict: 'kept' } : notSeen;
}

/** A fault with this problem when `broken`; null otherwise. */
export function faultIf(broken: boolean, request: Recorded, problem: string, part?: Part): Fault | null {
  return broken ? { problem, request, part } : null;
}

/** Remembers the result for each key: every rule asks for the same lists, and a long run has many events. */
export function remembered<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: make(key) };
    known.set(key, found);
    return found.value;
  };
}
