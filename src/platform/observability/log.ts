// The logger: JSON lines on standard output, with secrets removed.
import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedError } from './loggedError.ts';
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
  };
  return pino(options, destination);
}
