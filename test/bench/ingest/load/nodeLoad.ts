// The load generator in Node: raw sockets and prepared bytes, which take about a tenth of the processor time of node:http's client.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import { batchJob, generatorName } from './batchJob.ts';
import type { LoadGenerator, LoadResult } from './plan.ts';

/** The built program, also when a test starts this module from source. */
const program = projectFile('dist', 'test', 'bench', 'ingest', 'load', 'loadProcess.js');

export function startNodeLoad(): LoadGenerator {
  const before = batchJob();
  const [execPath, ...execArgv] = [...before, process.execPath];
  const child = fork(program, { serialization: 'advanced', execPath, execArgv });
  return {
    name: generatorName('node', before),
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
  const [response] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  gone.abort();
  ended.catch(() => undefined);
  return response;
}
