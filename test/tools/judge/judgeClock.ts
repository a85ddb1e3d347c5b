// The clock of the scripted server, which the proof replaces by a simulated one.

export interface JudgeClock {
  /** Unix milliseconds: the right time. */
  now(): number;
  /** Milliseconds of a clock that nobody sets. */
  uptime(): number;
}

export const realClock: JudgeClock = { now: () => Date.now(), uptime: () => performance.now() };
