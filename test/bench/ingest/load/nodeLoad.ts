// The load generator in Node: raw sockets and prepared bytes, which take about a tenth of what node:http's client takes.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { LoadGenerator, LoadResult } from './plan.ts';

export function startNodeLoad(): LoadGenerator {
  const child = fork(path.join(import.meta.dirname, 'loadProcess.js'), { serialization: 'advanced' });
  return {
    name: 'node',
    async prepare(plan) {
      await ask(child, { prepare: plan });
      return { run: async () => ((await ask(child, { run: true })) as { result: LoadResult }).result };
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function ask(child: ChildProcess, message: object): Promise<unknown> {
  const gone = new AbortController();
  const ended = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error('the load generator ended');
  });
  child.send(message);
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  gone.abort();
  ended.catch(() => undefined);
  return answer;
}
