// The one logger: JSON lines on standard output, secrets removed before they are written.
import { pino, type Logger } from 'pino';

export type Log = Logger;

const secretFields = ['password', 'secret', 'token', 'refreshToken', 'privateKey', 'newPassword', 'authorization'];

/** pino's wildcard reaches one level, so each name is listed at the top and below one parent. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: secretFields.flatMap((name) => [name, `*.${name}`]),
  });
}
