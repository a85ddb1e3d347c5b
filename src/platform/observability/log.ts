// The logger: JSON lines on standard output, with secrets removed.
import { writeSync } from 'node:fs';
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { classifyDatabaseError } from '../database/databaseErrors.ts';
import { hasCode } from '../errors.ts';

export type Log = Logger;

const secretFields = ['password', 'secret', 'token', 'refreshToken', 'privateKey', 'newPassword', 'authorization'];

/**
 * pino's wildcard covers one level, so each name is listed at the top and below one parent. `lineFields` is called for
 * each line, and adds its fields to the line.
 */
export function createLog(
  level: string,
  destination: DestinationStream = standardOutput(),
  lineFields?: () => object | undefined,
): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => loggedError(error) },
    redact: secretFields.flatMap((name) => [name, `*.${name}`]),
    ...(lineFields && { mixin: () => lineFields() ?? {} }),
    ...(isDetailed(level) ? {} : { hooks: { logMethod: countingRepeats() } }),
  };
  return pino(options, destination);
}

/** Somebody looks for one case of a failure. */
const isDetailed = (level: string): boolean => level === 'debug' || level === 'trace';

const refusals: readonly unknown[] = ['RATE_LIMITED', 'UNAUTHENTICATED'];

function isRefusal(facts: unknown): boolean {
  return typeof facts === 'object' && facts !== null && 'outcome' in facts && refusals.includes(facts.outcome);
}

/** Lines at info are no failures: logins and refused access are each of their own. What strangers can cause without end is counted too. */
function countingRepeats() {
  const repeats = createRepeatedLines();
  return function logMethod(this: Logger, ...[args, method, level]: [Parameters<LogFn>, LogFn, number]): void {
    const [facts, message] = args as unknown[];
    const isFailure = level >= pino.levels.values['warn']! || isRefusal(facts);
    if (isFailure && typeof message === 'string')
      repeats((...line) => method.apply(this, line), facts as Facts, message);
    else method.apply(this, args);
  };
}

// The part of an error that is logged: enough to find the fault, and no data of users.

export interface LoggedError {
  type: string;
  message: string;
  /** A SQLSTATE, a system error's name, or a refusal's code. */
  code?: string;
  /** The place where it was thrown, without the message at the beginning of Node's `stack`. */
  stack?: string;
  cause?: LoggedError;
}

const deepest = 5;
const frames = /^\s+at .*$/gm;

/**
 * Other members are left out: `detail` of a database error holds the refused row, `where` holds the parameters, and an error
 * of the GraphQL library holds the whole document.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return { type: typeof error, message: 'something was thrown that is no error' };
  }
  const { name, message, code, stack, cause } = error as Record<string, unknown>;
  const where = typeof stack === 'string' ? stack.match(frames)?.join('\n') : undefined;
  return {
    type: typeof name === 'string' ? name : 'Error',
    message: withoutQuotes(String(message)),
    ...(typeof code === 'string' && { code }),
    ...(where !== undefined && { stack: where }),
    ...(cause !== undefined && depth < deepest && { cause: loggedError(cause, depth + 1) }),
  };
}

/**
 * PostgreSQL quotes an unreadable input and the row that breaks a constraint. Prisma prints a call's arguments before the
 * paragraph with the problem. Both are cut out. Names of tables, columns and constraints stay.
 */
function withoutQuotes(message: string): string {
  const paragraph = message.startsWith('\nInvalid `') ? message.slice(message.lastIndexOf('\n\n')).trim() : message;
  return paragraph
    .replace(/\b(Failing row contains|Key \(.*?\)=)[\s\S]*$/, '$1 …')
    .replace(/(: ?)?"([^"]*)"/g, (quoted, colon: string | undefined, text: string) => {
      const isName = colon === undefined && /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(text);
      return isName ? quoted : `${colon ?? ''}"…"`;
    });
}

// Keeps a failure that repeats from filling the log: its first line whole, then one line a minute, and one at its end.

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
  ...['attempt', 'delayMillis', 'millis', 'err', 'cause'],
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
      known.since += 1;
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

// Writes log lines to standard output. While the output accepts none, lines are dropped and the service continues.

export interface LineSink {
  write(line: string): void;
}

/** Waits for a slow reader during at most a twentieth of the time, because every request waits with it. */
const patience = { millis: 50, everyMillis: 1_000 };

/**
 * `write` gives bytes to the operating system and returns how many it took, as `writeSync` does. A full disk, a closed
 * reader or a slow one cost lines. The next written line says how many were dropped.
 */
export function standardOutput(write: (bytes: Buffer) => number = (bytes) => writeSync(1, bytes)): LineSink {
  const waiting = createPatience();
  let lost = 0;
  let torn = false;
  const send = (text: string): void => {
    for (let bytes = Buffer.from(torn ? `\n${text}` : text); bytes.length > 0;) {
      bytes = bytes.subarray(waiting(() => write(bytes)));
      torn = bytes.length > 0;
    }
  };
  return {
    write(line) {
      try {
        if (lost > 0) send(lossOf(lost));
        lost = 0;
        send(line);
      } catch {
        lost += 1;
      }
    },
  };
}

function createPatience(): (write: () => number) => number {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let left = patience.millis;
  let since = -Infinity;
  return (write) => {
    for (;;) {
      try {
        return write();
      } catch (error) {
        if (!hasCode(error, 'EAGAIN')) throw error;
        const now = performance.now();
        if (now - since > patience.everyMillis) [left, since] = [patience.millis, now];
        if (left <= 0) throw error;
        left -= 1;
        Atomics.wait(cell, 0, 0, 1);
      }
    }
  };
}

function lossOf(lines: number): string {
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines, msg: 'log lines were lost' })}\n`;
}
