// Starts a server that the service is compared with, in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Target } from './target.ts';

/** `program` reports its address with `announce`, and ends when this process ends. */
export async function startForkedTarget(
  described: Pick<Target, 'letter' | 'name' | 'databaseUrl'>,
  program: string,
  args: string[] = [],
): Promise<Target> {
  const child = fork(path.join(import.meta.dirname, program), args);
  const ended = new AbortController();
  const failed = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`${program} ended before it listened`);
  });
  const [{ url }] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string }];
  ended.abort();
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  };
  return { ...described, urls: [url], pids: [child.pid!], stop };
}

/** Called in the forked process. */
export function announce(url: string): void {
  process.on('disconnect', () => process.exit(0));
  process.send!({ url });
}
