// Keeps a failure that repeats from filling the log: its first line whole, then one line a minute, and one at its end.
import { classifyDatabaseError } from '../database/databaseErrors.ts';

/** What a line says beside its message. */
export type Facts = Record<string, unknown>;
/** Writes a line at the level of the failure. */
export type Write = (facts: Facts, message: string) => void;

export const everyMillis = 60_000;
/** Of one message. More kinds share one count: a text that varies without end must not make lines without end. */
export const mostKinds = 10;

/** They name one case of a failure. The count names those of the last case. */
const ofOneCase = new Set([
  ...['requestId', 'transactionId', 'mailId', 'notification'],
  ...['attempt', 'delayMillis', 'millis', 'others', 'err', 'cause'],
]);

interface Repeated {
  message: string;
  /** Those that all cases have in common. */
  common: Facts;
  begun: number;
  /** Cases after the first, since the last line and in all. */
  since: number;
  total: number;
  last: Facts;
}

/**
 * The returned function writes the first line of a failure, and counts the same failure while it repeats within a minute.
 * Two lines are of the same failure when they have the same message, the same facts apart from `ofOneCase`, and an error
 * of the same kind.
 */
export function createRepeatedLines(now: () => number = () => performance.now()) {
  const kinds = new Map<string, Repeated>();
  return (write: Write, facts: Facts, message: string): void => {
    const common = Object.fromEntries(Object.entries(facts).filter(([name]) => !ofOneCase.has(name)));
    const key = keyOf(kinds, message, { common, error: facts['err'] ?? facts['cause'] });
    const known = kinds.get(key);
    if (known) {
      // A line may speak for others that its caller has left out.
      known.since += 1 + (typeof facts['others'] === 'number' ? facts['others'] : 0);
      known.last = facts;
      return;
    }
    const repeated = { message, common, begun: now(), since: 0, total: 0, last: {} };
    kinds.set(key, repeated);
    write(facts, message);
    const timer = setInterval(() => {
      if (report(repeated, write, now)) return;
      clearInterval(timer);
      kinds.delete(key);
    }, everyMillis).unref();
  };
}

function keyOf(
  kinds: ReadonlyMap<string, Repeated>,
  message: string,
  { common, error }: { common: Facts; error: unknown },
): string {
  const told = withoutNumbers(message);
  const key = JSON.stringify([told, common, identityOf(error)]);
  if (kinds.has(key)) return key;
  const others = [...kinds.values()].filter((known) => withoutNumbers(known.message) === told);
  return others.length < mostKinds ? key : told;
}

/** An outage of the database has many errors: a refused connection, one that is cut, one that nobody accepts in time. */
function identityOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const failure = classifyDatabaseError(error);
  if (failure === 'unavailable') return failure;
  const { name, message, code } = error as NodeJS.ErrnoException;
  return [name, code, withoutNumbers(message)];
}

/** A library counts its attempts in the text of its message. */
const withoutNumbers = (text: string): string => text.replace(/\d+/g, '0');

/** False when the failure has not repeated since the last line. */
function report(repeated: Repeated, write: Write, now: () => number): boolean {
  const { message, common, since, last } = repeated;
  repeated.total += since;
  repeated.since = 0;
  const seconds = Math.round((now() - repeated.begun) / 1_000);
  if (since > 0) {
    write({ ...common, of: message, times: since, seconds, last: caseOf(last) }, 'a failure repeats');
  } else if (repeated.total > 0) {
    write({ ...common, of: message, times: repeated.total, seconds }, 'a failure no longer repeats');
  }
  return since > 0;
}

/** Without the stack, which the first line has. */
function caseOf({ err, ...facts }: Facts): Facts {
  const own = Object.entries(facts).filter(([name]) => ofOneCase.has(name));
  const { code } = (err ?? {}) as NodeJS.ErrnoException;
  return { ...Object.fromEntries(own), ...(typeof code === 'string' && { code }) };
}
