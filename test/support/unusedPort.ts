// Finds a port on which no process listens at this moment.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system gives to `listen(0)` of other workers, and of each worker its own. */
const first = 10_000 + 4_000 * (Number(process.env['JEST_WORKER_ID'] ?? 0) % 5);
let next = randomInt(4_000);

export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % 4_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
