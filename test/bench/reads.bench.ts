// How long each read of analytics takes on the embedded copy and on PostgreSQL, side by side on the same rows.
import { cpus, totalmem } from 'node:os';
import { Registry } from 'prom-client';
import { createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import { QuestionTooLarge, questionBounds, type AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/metrics.ts';
import { inReferenceForm, nearly } from '../support/analytics/threeWays.ts';
import { seedApplication, testCopies } from '../support/analyticsCopy.ts';
import { createTestDatabase } from '../support/testDatabase.ts';
import { cases, type Case } from './reads/cases.ts';
import { load } from './reads/load.ts';

const events = Number(process.env['EVENTS'] ?? 10_000_000);
const runs = { embedded: Number(process.env['RUNS'] ?? 20), database: Number(process.env['DATABASE_RUNS'] ?? 1) };
const databaseSeconds = Number(process.env['DATABASE_SECONDS'] ?? 40);
/** A regular expression of the names of cases. */
const wanted = new RegExp(process.env['CASES'] ?? '');
/** So few that PostgreSQL serves every question within its time. */
const comparedEvents = Math.min(events, 100_000);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

/** Prints each tenth. */
function progressOf(what: string): (share: number) => void {
  const begun = performance.now();
  let told = 0;
  return (share) => {
    if (share < told + 0.1) return;
    told = Math.floor(share * 10) / 10;
    print(`${what}: ${Math.round(told * 100)} % after ${Math.round((performance.now() - begun) / 1_000)} s`);
  };
}

interface Bench {
  cases: Case[];
  embedded: EmbeddedEngine;
  postgres: AnalyticsEngine;
  registry: Registry;
}

/** Both engines over the same rows, which are gone after the work. */
async function withRows(count: number, work: (bench: Bench) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const copies = await testCopies(database.url);
  const connection = { connectionString: database.url };
  const [log, registry, now] = [createLog('silent'), new Registry(), new Date()];
  const applicationId = await seedApplication(database.pool);
  await load({ url: database.url, applicationId, events: count, until: now, progressed: progressOf('PostgreSQL') });
  const metrics = analyticsMetrics([registry]);
  const bounds = { memoryMib: 512, threads: cpus().length };
  const embedded = new EmbeddedEngine({ connection, dir: copies.dir, ...bounds, log, metrics });
  const timeoutMillis = databaseSeconds * 1_000;
  const postgres = createDatabaseEngine({ connection, log, bounds: { ...questionBounds, timeoutMillis } });
  try {
    await built(embedded);
    await work({
      cases: cases(applicationId, now).filter(({ name }) => wanted.test(name)),
      embedded,
      postgres,
      registry,
    });
  } finally {
    await embedded.close();
    await postgres.close();
    await copies.remove();
    await database.drop();
  }
}

async function built({ copy }: EmbeddedEngine): Promise<void> {
  const progressed = progressOf('copy');
  const watch = setInterval(() => progressed(copy.progress), 200);
  await copy.followed();
  clearInterval(watch);
  progressed(1);
}

/** Without the moment at which the engine was asked. */
const responseOf = (response: unknown): unknown => inReferenceForm({ ...(response as object), asOf: null });

interface Times {
  p50: number;
  p95: number;
  response: unknown;
}

/** Null where PostgreSQL takes too long. The first runs warm up. */
async function timesOf(
  engine: AnalyticsEngine,
  ask: Case['ask'],
  { count, warmUps }: { count: number; warmUps: number },
): Promise<Times | null> {
  let response: unknown;
  const times: number[] = [];
  for (let run = -warmUps; run < count; run++) {
    const begun = performance.now();
    try {
      response = await ask(engine);
    } catch (error) {
      if (error instanceof QuestionTooLarge) return null;
      throw error;
    }
    if (run >= 0) times.push(performance.now() - begun);
  }
  if (times.length === 0) return null;
  times.sort((one, other) => one - other);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { response: responseOf(response), p50: at(0.5), p95: at(0.95) };
}

/** Prints a row of the table. */
async function measure({ name, bound, isTenfold = false, ask }: Case, { embedded, postgres }: Bench): Promise<void> {
  const quick = await timesOf(embedded, ask, { count: runs.embedded, warmUps: 2 });
  if (!quick) throw new Error(`${name} was too large`);
  const slow = await timesOf(postgres, ask, { count: runs.database, warmUps: 0 });
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  const slowMillis = slow?.p50 ?? (runs.database > 0 ? databaseSeconds * 1_000 : null);
  const more = (text: string): string => (slow ? text : `> ${text}`);
  const ratio = slowMillis === null ? null : slowMillis / quick.p50;
  const ofDatabase = ratio === null ? ['', ''] : [more(whole(slowMillis!)), more(ratio.toFixed(ratio < 10 ? 1 : 0))];
  const isKept = (bound === null || quick.p95 <= bound) && (!isTenfold || ratio === null || ratio >= 10);
  const cells = [whole(quick.p50), whole(quick.p95), bound === null ? '' : whole(bound), ...ofDatabase];
  print(`| ${[name, ...cells, isKept ? 'yes' : 'no'].join(' | ')} |`);
  if (slow) expect({ name, response: quick.response }).toEqual({ name, response: nearly(slow.response) });
}

async function memoryOf(registry: Registry): Promise<string> {
  const gauge = async (name: string): Promise<number> => {
    const found = (await registry.getSingleMetric(name)?.get())?.values ?? [];
    return found.reduce((sum, { value }) => sum + value, 0);
  };
  const [memory, file] = [await gauge('analytics_copy_memory_bytes'), await gauge('analytics_copy_file_bytes')];
  return `copy ${mebibytes(memory)} in memory, ${mebibytes(file)} on disk; process ${mebibytes(process.memoryUsage.rss())}`;
}

test(
  'both engines give the same numbers',
  () =>
    withRows(comparedEvents, async ({ cases, embedded, postgres }) => {
      for (const { name, ask } of cases) {
        const [quick, slow] = [await ask(embedded), await ask(postgres)].map(responseOf);
        expect({ name, response: quick }).toEqual({ name, response: nearly(slow) });
      }
    }),
  30 * 60_000,
);

test(
  'times of both engines',
  () =>
    withRows(events, async (bench) => {
      const machine = `${cpus().length} × ${cpus()[0]!.model}, ${mebibytes(totalmem())}, Node ${process.version}`;
      print(`\n${new Date().toISOString()}, ${machine}, ${events.toLocaleString('en-US')} events\n`);
      print('| read | embedded p50 ms | p95 ms | bound of p95 | PostgreSQL p50 ms | ratio of p50 | kept |');
      print('| --- | --: | --: | --: | --: | --: | --- |');
      for (const each of bench.cases) await measure(each, bench);
      print(`\n${await memoryOf(bench.registry)}`);
    }),
  4 * 60 * 60_000,
);
