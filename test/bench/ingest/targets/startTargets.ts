// Starts what is to be compared, each in a process and with a database of its own.
import type { BenchOptions, TargetLetter } from '../options.ts';
import type { BenchServer } from './benchDatabase.ts';
import { startForkedTarget } from './forkedTarget.ts';
import { startServiceTarget } from './serviceTarget.ts';
import type { Target } from './target.ts';

export async function startTargets(options: BenchOptions, server: BenchServer): Promise<Target[]> {
  const starts: Record<Exclude<TargetLetter, 'C'>, () => Promise<Target>> = {
    P: async () => {
      const databaseUrl = await server.createDatabase('bench_service');
      return startServiceTarget({ letter: 'P', name: 'this service', databaseUrl, profileDir: options.profile });
    },
    B: async () => {
      const databaseUrl = await server.createDatabase('bench_other_service');
      return startServiceTarget({ letter: 'B', name: 'the other checkout', databaseUrl, folder: options.against });
    },
    N: async () => {
      const databaseUrl = await server.createDatabase('bench_naive');
      return startForkedTarget({ letter: 'N', name: 'naive reference', databaseUrl }, 'naiveServer.js', [databaseUrl]);
    },
    V: async () => {
      const databaseUrl = await server.createDatabase('bench_validation');
      const described = { letter: 'V', name: 'validation alone', databaseUrl: null };
      return startForkedTarget(described, 'validationServer.js', [databaseUrl]);
    },
    H: () => startForkedTarget({ letter: 'H', name: 'node:http and JSON.parse', databaseUrl: null }, 'plainServer.js'),
  };
  const targets: Target[] = [];
  try {
    for (const letter of options.only) if (letter !== 'C') targets.push(await starts[letter]());
    return targets;
  } catch (error) {
    await stopTargets(targets);
    throw error;
  }
}

export async function stopTargets(targets: Target[]): Promise<void> {
  await Promise.all(targets.map((target) => target.stop()));
}
