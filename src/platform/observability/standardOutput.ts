// Writes log lines to standard output. While the output accepts none, lines are dropped and the service continues.
import { writeSync } from 'node:fs';
import { hasCode } from '../errors.ts';

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
