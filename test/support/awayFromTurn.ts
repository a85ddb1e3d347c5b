// Keeps a test within one hour or one UTC day, where the database counts by its own clock, which no test can set.
import { setTimeout as pause } from 'node:timers/promises';

const lengths = { hour: 3_600_000, day: 86_400_000 };
/** More than one test needs, also on a busy machine. */
const enoughMillis = 60_000;
/** The database's clock may be that of another machine. */
const marginMillis = 500;

/** Resolves at once, or after the turn if the period ends within a minute. Call it before each test. */
export async function awayFromTurn(period: keyof typeof lengths): Promise<void> {
  const left = lengths[period] - (Date.now() % lengths[period]);
  if (left < enoughMillis) await pause(left + marginMillis);
}
