// How long each read of analytics takes on the embedded copy and on PostgreSQL, side by side on the same rows.
import { cpus, totalmem } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { Registry } from 'prom-client';
import { createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import { questionBounds, type AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/analyticsMetrics.ts';
import { inReferenceForm } from '../support/analytics/threeWays.ts';
import { seedApplication, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { cases, type Case } from './reads/cases.ts';
import { load } from './reads/load.ts';

const events = Number(process.env['EVENTS'] ?? 10_000_000);
const runs = { embedded: Number(process.env['RUNS'] ?? 20), database: Number(process.env['DATABASE_RUNS'] ?? 1) };
/** PostgreSQL takes longer than a request may. */
const bounds = { ...questionBounds, timeoutMillis: 300_000 };

const print = (line: string): void => void process.stdout.write(`${line}\n`);

let database: TestDatabase;
let copies: TestCopies;
beforeAll(async () => {
  database = await createTestDatabase();
  copies = await testCopies(database.url);
});
afterAll(async () => {
  await copies.remove();
  await database.drop();
});

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

async function openEmbedded(registry: Registry): Promise<EmbeddedEngine> {
  const engine = new EmbeddedEngine({
    ...{ connection: { connectionString: database.url }, dir: copies.dir, memoryMib: 512, threads: cpus().length },
    ...{ log: createLog('silent'), metrics: analyticsMetrics([registry]) },
  });
  const progressed = progressOf('copy');
  const watch = setInterval(() => progressed(engine.copy.progress), 200);
  await engine.copy.followed();
  clearInterval(watch);
  progressed(1);
  return engine;
}

/** PostgreSQL takes a minute for some: there the first run counts. */
async function timesOf(
  engine: AnalyticsEngine,
  ask: Case['ask'],
  { count, warmUps }: { count: number; warmUps: number },
): Promise<{ response: unknown; p50: number; p95: number }> {
  let response: unknown;
  const times: number[] = [];
  for (let run = -warmUps; run < count; run++) {
    const begun = performance.now();
    response = await ask(engine);
    if (run >= 0) times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { response: inReferenceForm({ ...(response as object), asOf: null }), p50: at(0.5), p95: at(0.95) };
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

async function memoryOf(registry: Registry): Promise<string> {
  const gauge = async (name: string): Promise<number> => {
    const found = (await registry.getSingleMetric(name)?.get())?.values ?? [];
    return found.reduce((sum, { value }) => sum + value, 0);
  };
  const [memory, file] = [await gauge('analytics_copy_memory_bytes'), await gauge('analytics_copy_file_bytes')];
  return `copy ${mebibytes(memory)} in memory, ${mebibytes(file)} on disk; process ${mebibytes(process.memoryUsage.rss())}`;
}

/** Prints a row of the table. Returns in words what is not as it should be. */
async function compare(
  { name, bound, isTenfold = false, ask }: Case,
  { embedded, postgres }: { embedded: AnalyticsEngine; postgres: AnalyticsEngine },
): Promise<string[]> {
  const quick = await timesOf(embedded, ask, { count: runs.embedded, warmUps: 2 });
  const slow = await timesOf(postgres, ask, { count: runs.database, warmUps: 0 });
  const ratio = slow.p50 / quick.p50;
  const [isLate, isSlow] = [bound !== null && quick.p95 > bound, isTenfold && ratio < 10];
  const millis = [quick.p50, quick.p95, bound, slow.p50].map((each) => (each === null ? '' : Math.round(each)));
  print(`| ${[name, ...millis, ratio.toFixed(ratio < 10 ? 1 : 0), isLate || isSlow ? 'no' : 'yes'].join(' | ')} |`);
  if (!isDeepStrictEqual(quick.response, slow.response)) {
    print(`embedded:   ${JSON.stringify(quick.response)}\nPostgreSQL: ${JSON.stringify(slow.response)}`);
    return [name];
  }
  return [];
}

test(
  'both engines give the same numbers',
  async () => {
    const applicationId = await seedApplication(database.pool);
    const now = new Date();
    const url = database.url;
    await load({ url, applicationId, events, until: now, progressed: progressOf('PostgreSQL') });
    const registry = new Registry();
    const embedded = await openEmbedded(registry);
    const connection = { connectionString: url };
    const postgres = createDatabaseEngine({ connection, log: createLog('silent'), bounds });
    print(
      `\n${new Date().toISOString()}, ${cpus().length} × ${cpus()[0]!.model}, ${mebibytes(totalmem())}, Node ${process.version}, ${events.toLocaleString('en-US')} events\n`,
    );
    print('| read | embedded p50 ms | p95 ms | bound of p95 | PostgreSQL p50 ms | ratio of p50 | kept |');
    print('| --- | --: | --: | --: | --: | --: | --- |');
    const wanted = cases(applicationId, now).filter(({ name }) => name.includes(process.env['ONLY'] ?? ''));
    const different: string[] = [];
    for (const each of wanted) different.push(...(await compare(each, { embedded, postgres })));
    print(`\n${await memoryOf(registry)}`);
    await embedded.close();
    await postgres.close();
    expect(different).toEqual([]);
  },
  4 * 60 * 60_000,
);
