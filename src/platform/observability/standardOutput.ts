// Where log lines go: to standard output, and nowhere while it takes none, since the service must go on answering.
import { writeSync } from 'node:fs';
import { hasCode } from '../errors.ts';

export interface LineSink {
  write(line: string): void;
}

/** A reader that is a little behind is waited for, for a twentieth of the time at most: every request waits with it. */
const patience = { millis: 50, everyMillis: 1_000 };

/**
 * `write` gives bytes to the operating system and answers how many it took, as `writeSync` does. A full disk, a reader
 * that is gone or one that is too slow cost lines, and the next one that gets through says how many.
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
