// `npm run bench:memory`: the memory of a process in production while strangers and dashboards do their worst. docs/operating/deploy.md,
// "Memory" has the figures.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, attackersWith } from './memory/attackers.ts';
import { peakMebibytes } from './ingest/measure/processUsage.ts';
import { startBenchServer, type BenchServer } from './ingest/targets/benchDatabase.ts';
import { startWithDashboards } from './ingest/targets/dashboards.ts';
import { startServiceTarget } from './ingest/targets/serviceTarget.ts';
import type { Target } from './ingest/targets/target.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const timeout = (3 * seconds + 180) * 1_000;
let server: BenchServer;
beforeAll(async () => {
  server = await startBenchServer();
}, timeout);
afterAll(() => server.stop(), timeout);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const rssMebibytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

const cases: [string, (databaseUrl: string) => Promise<Target>][] = [
  ['ANALYTICS=off', (databaseUrl) => startServiceTarget({ letter: 'P', name: 'off', databaseUrl })],
  [
    'ANALYTICS=embedded, ten dashboards',
    (databaseUrl) =>
      startWithDashboards(
        { letter: 'D', name: 'embedded', databaseUrl },
        { applicationId: server.application.id, say },
      ),
  ],
];

test.each(cases)(
  '%s: the memory of a process reaches a plateau',
  async (name, start) => {
    const target = await start(await server.createDatabase(`memory_${name.length}`));
    const pid = target.pids[0]!;
    try {
      const atRest = rssMebibytes(pid);
      say(`${name}: ${atRest.toFixed(0)} MiB at rest; the most in each third of ${seconds} s:`);
      const endDashboards = target.during?.();
      for (const [phase, attackers] of Object.entries(attackersWith(server.application.key.public))) {
        const end = attack(target.urls[0]!, attackers);
        const samples: number[] = [];
        for (let second = 0; second < seconds; second += 1) {
          await pause(1_000);
          samples.push(rssMebibytes(pid));
        }
        const seen = [...end()].map(([kind, statuses]) => `${kind} ${JSON.stringify(Object.fromEntries(statuses))}`);
        const third = (at: number) =>
          Math.max(...samples.slice((at * seconds) / 3, ((at + 1) * seconds) / 3)).toFixed(0);
        say(`  ${phase}: ${third(0)}, ${third(1)}, ${third(2)} MiB (${seen.join(', ')})`);
      }
      await endDashboards?.();
      say(`  peak ${peakMebibytes(pid)!.toFixed(0)} MiB`);
    } finally {
      await target.stop();
    }
  },
  timeout,
);
