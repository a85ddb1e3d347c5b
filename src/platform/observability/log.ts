// The logger: JSON lines on standard output, with secrets removed.
import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import { loggedError } from './loggedError.ts';
import { createRepeatedLines, type Facts } from './repeatedLines.ts';
import { standardOutput } from './standardOutput.ts';

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
