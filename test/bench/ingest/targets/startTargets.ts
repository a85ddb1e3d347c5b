// Starts the targets to compare, each in a process and with a database of its own.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { BenchOptions, TargetLetter } from '../options.ts';
import type { BenchServer } from './benchDatabase.ts';
import { startWithCopy, startWithDashboards } from './dashboards.ts';
import { startForkedTarget } from './forkedTarget.ts';
import { startServices, startServiceTarget } from './serviceTarget.ts';
import { startWithStrangers } from './strangers.ts';
import type { Target } from './target.ts';
import { startWithWideQuestions } from './wideQuestions.ts';
import { startTraced } from './traced.ts';

export async function startTargets(
  options: BenchOptions,
  server: BenchServer,
  say: (line: string) => void,
): Promise<Target[]> {
  const starts: Record<Exclude<TargetLetter, 'B' | 'C'>, () => Promise<Target>> = {
    P: async () => {
      const databaseUrl = await server.createDatabase('bench_service');
      return startServiceTarget({ letter: 'P', name: 'this service', databaseUrl, profileDir: options.profile });
    },
    M: async () => {
      const databaseUrl = await server.createDatabase('bench_processes');
      const count = availableParallelism();
      return startServices({ letter: 'M', name: `this service, ${count} processes`, databaseUrl }, count);
    },
    F: async () => {
      const databaseUrl = await server.createDatabase('bench_copied');
      return startWithCopy({ letter: 'F', name: 'this service, a copy follows', databaseUrl });
    },
    D: async () => {
      const databaseUrl = await server.createDatabase('bench_dashboards');
      const described = { letter: 'D', name: 'this service, ten dashboards ask its copy', databaseUrl };
      return startWithDashboards(described, { applicationId: server.application.id, say });
    },
    S: async () => {
      const databaseUrl = await server.createDatabase('bench_strangers');
      return startWithStrangers({ letter: 'S', name: 'this service, eight strangers', databaseUrl }, say);
    },
    W: async () => {
      const databaseUrl = await server.createDatabase('bench_wide');
      const described = { letter: 'W', name: 'this service, ten clients ask for all of a device', databaseUrl };
      return startWithWideQuestions(described, { application: server.application, say });
    },
    T: async () => startTraced({ letter: 'T', databaseUrl: await server.createDatabase('bench_traced') }),
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
    for (const letter of options.only) if (letter !== 'B' && letter !== 'C') targets.push(await starts[letter]());
    for (const [at, folder] of options.against.entries()) {
      const databaseUrl = await server.createDatabase(`bench_other_${at}`);
      targets.push(await startServiceTarget({ letter: 'B', name: path.basename(folder), databaseUrl, folder }));
    }
    return targets;
  } catch (error) {
    await stopTargets(targets);
    throw error;
  }
}

export async function stopTargets(targets: Target[]): Promise<void> {
  await Promise.all(targets.map((target) => target.stop()));
}
