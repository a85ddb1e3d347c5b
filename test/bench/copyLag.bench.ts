// `npm run bench:lag`: how old the copy for analytics is while uploads come at steady rates, on PostgreSQL or on a cluster.
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { newFaultApplication, startFaultService } from '../faults/support/faultService.ts';
import { expectEqual, testCopies } from '../support/analyticsCopy.ts';
import { citusWorkers } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase } from '../support/testDatabase.ts';
import { markdown } from './ingest/report.ts';
import { startNodeLoad } from './ingest/load/nodeLoad.ts';
import { percentile } from './ingest/measure/statistics.ts';
import { eventsOf, shapes } from './ingest/shapes.ts';

/** Events a second. */
const rates = (process.env['RATES'] ?? '100,2000,20000').split(',').map(Number);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const promisedSeconds = 5;
/** Two of three uploads bring events of a session that exists already. */
const shape = shapes.find(({ name }) => name === '1x10x3')!;
const betweenLooks = 250;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function lagOf({ opsUrl }: RunningService): Promise<number> {
  const families = readMetrics(await (await fetch(`${opsUrl}/metrics`)).text());
  return valueOf(families, 'analytics_copy_lag_seconds');
}

test(
  `the copy is at most ${promisedSeconds} s old`,
  async () => {
    const database = await createTestDatabase();
    const copies = await testCopies(database.url);
    const load = startNodeLoad();
    const rows: string[][] = [];
    const late: string[] = [];
    try {
      const { application } = await newFaultApplication(database.url);
      const ingest = await startFaultService(database.url, { ROLE: 'ingest', SESSION_SIGNATURE: 'optional' });
      const analytics = { ANALYTICS: 'embedded', ANALYTICS_DIR: copies.dir };
      const admin = await startFaultService(database.url, { ROLE: 'admin', ...analytics });
      for (const rate of rates) {
        const perSecond = rate / eventsOf(shape);
        const plan = { urls: [ingest.url], key: application.key, shape, signed: true, connections: 64, cycle: false };
        const uploads = Math.ceil(perSecond * seconds);
        const prepared = await load.prepare({ ...plan, perSecond, seconds, uploads, seed: rate, name: `lag-${rate}` });
        let isOver = false;
        const lags: number[] = [];
        const look = async (): Promise<void> => {
          for (; !isOver; await pause(betweenLooks)) lags.push(await lagOf(admin));
        };
        const watching = look();
        const { statuses, p99Millis } = await prepared.run();
        isOver = true;
        await watching;
        const stored = ((statuses[200] ?? 0) * eventsOf(shape)) / seconds;
        lags.sort((one, other) => one - other);
        const most = lags.at(-1)!;
        if (most > promisedSeconds) late.push(`${rate}: ${most} s`);
        const [half, ninety] = [percentile(lags, 0.5), percentile(lags, 0.95)];
        rows.push([
          ...[String(rate), stored.toFixed(0), p99Millis.toFixed(0)],
          ...[half, ninety, most].map((lag) => lag.toFixed(1)),
        ]);
        await eventually(
          () => lagOf(admin),
          (lag) => lag < 1,
        );
      }
      await admin.end('SIGTERM');
      const copy = copies.open();
      await expectEqual(copy, database.pool);
      await copy.stop();
    } finally {
      await load.stop();
      await clearAway();
      await copies.remove();
      await database.drop();
    }
    const where = citusWorkers.length > 0 ? `a cluster of ${citusWorkers.length} workers` : 'PostgreSQL';
    say(`${where}, ${cpus().length} cores, ${seconds} s at each rate; the copy equals the database afterwards:\n`);
    const heads = ['events/s offered', 'stored', 'uploads p99 ms', 'lag s: p50', 'p95', 'most'];
    say(markdown(heads, rows));
    expect(late).toEqual([]);
  },
  (rates.length * (seconds + 60) + 120) * 1_000,
);
