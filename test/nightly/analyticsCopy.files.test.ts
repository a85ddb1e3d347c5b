// Every file below ANALYTICS_DIR damaged, missing, of another owner or read-only: the copy heals, or says that it is stopped.
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import { AnalyticsUnavailable } from '../../src/analytics/engine/engine.ts';
import { question } from '../../src/analytics/engine/dialect.ts';
import { analyticsMetrics } from '../../src/platform/observability/metrics.ts';
import { createLog, type Log } from '../../src/platform/observability/log.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

/** Root may do everything: run by it, these tests act as another user. */
const stranger = 65_534;
const isRoot = process.getuid!() === 0;

let database: TestDatabase;
let applicationId: string;
/** The files of a process that was killed, by their names. */
const killed = new Map<string, Buffer>();
let copies: TestCopies;
const lines: string[] = [];
const note = (_fields: object, line?: string): void => void lines.push(line ?? '');
const log = { ...createLog('silent'), info: () => undefined, warn: note } as unknown as Log;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('SELECT ensure_event_partitions(2)');
  applicationId = await seedApplication(database.pool);
  await storeSessions(database.pool, { applicationId, devices: ['a', 'b'], events: 200 });
  const made = await testCopies(database.url);
  // Its rows are in the file after the stop, and those of the second run in the log beside it.
  const first = made.open();
  await expectEqual(first, database.pool);
  await first.stop();
  const second = made.open();
  await storeSessions(database.pool, { applicationId, devices: ['c'], events: 20 });
  await expectEqual(second, database.pool);
  const folder = path.join(made.dir, '1');
  for (const name of await readdir(folder)) {
    if ((await stat(path.join(folder, name))).isFile()) killed.set(name, await readFile(path.join(folder, name)));
  }
  for (const name of ['spool.csv', 'proof.csv']) killed.set(name, Buffer.from('a,b\n'));
  await made.remove();
});
afterAll(() => database.drop());
beforeEach(async () => {
  copies = await testCopies(database.url);
  lines.length = 0;
  const folder = path.join(copies.dir, '1');
  await mkdir(folder, { mode: 0o700 });
  for (const [name, bytes] of killed) await writeFile(path.join(folder, name), bytes, { mode: 0o600 });
  await mkdir(path.join(folder, 'spill'));
  await writeFile(path.join(folder, 'spill', 'block'), 'x');
  if (!isRoot) return;
  for (const name of ['', '1', ...[...killed.keys(), 'spill', 'spill/block'].map((each) => `1/${each}`)]) {
    await chown(path.join(copies.dir, name), stranger, stranger);
  }
  process.seteuid!(stranger);
});
afterEach(async () => {
  if (isRoot) process.seteuid!(0);
  await chmod(copies.dir, 0o700);
  await copies.remove();
});

const harms: Record<string, (file: string) => Promise<void>> = {
  'random bytes': async (file) => writeFile(file, randomBytes((await stat(file)).size)),
  'random bytes in the middle': async (file) => {
    const bytes = await readFile(file);
    randomBytes(Math.ceil(bytes.length / 4)).copy(bytes, Math.floor(bytes.length / 3));
    await writeFile(file, bytes);
  },
  'cut in half': async (file) => truncate(file, Math.floor((await stat(file)).size / 2)),
  'cut to nothing': (file) => truncate(file, 0),
  missing: (file) => rm(file),
  'of another owner': (file) => denied(file, 0o600),
  'read-only': (file) => chmod(file, 0o444),
};

/** By rights alone where the test may not give files away. */
async function denied(file: string, mode: number): Promise<void> {
  if (!isRoot) return chmod(file, 0o000);
  process.seteuid!(0);
  await chown(file, 0, 0);
  await chmod(file, mode);
  process.seteuid!(stranger);
}

/** As the engine does it: a question that meets a damaged block tells the copy. */
async function expectWhole(copy: AnalyticsCopy): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      return await expectEqual(copy, database.pool);
    } catch (error) {
      if (left === 0) throw error;
      copy.questionFailed(error);
    }
  }
}

const names = ['lock.duckdb', 'copy-1.duckdb', 'copy-1.duckdb.wal', 'spool.csv', 'proof.csv'];

test('these are all files of a folder', () => {
  expect([...killed.keys()].sort()).toEqual([...names].sort());
});

test.each(names.flatMap((name) => Object.keys(harms).map((harm) => [name, harm] as const)))(
  '%s %s: the copy is whole again',
  async (name, harm) => {
    await harms[harm]!(path.join(copies.dir, '1', name));
    const copy = copies.open({ log });
    await expectWhole(copy);
    expect(copy.stopped).toBe(false);
    const isPassedOver = name === 'lock.duckdb' && ['of another owner', 'read-only'].includes(harm);
    expect(lines.some((line) => line.startsWith('a folder of ANALYTICS_DIR cannot be used'))).toBe(isPassedOver);
    expect((await readdir(copies.dir)).sort()).toEqual(isPassedOver ? ['1', '2'] : ['1']);
  },
);

test.each([
  ['of another owner', (folder: string) => denied(folder, 0o700)],
  ['read-only', (folder: string) => chmod(folder, 0o555)],
  [
    'no folder',
    async (folder: string) => {
      await rm(folder, { recursive: true });
      await writeFile(folder, 'x');
    },
  ],
])('a folder that is %s is passed over, and the log says so', async (_, harm) => {
  const folder = path.join(copies.dir, '1');
  await harm(folder);
  await expectEqual(copies.open({ log }), database.pool);
  expect(lines).toContain('a folder of ANALYTICS_DIR cannot be used: give it to the process, or remove it');
  if (!isRoot) await chmod(folder, 0o700);
});

const count = question('count')`SELECT count(*) AS events FROM analytics.events e`;

test('ANALYTICS_DIR that takes no folder: the reads are stopped, the log says why, and it goes on by itself', async () => {
  await rm(path.join(copies.dir, '1'), { recursive: true });
  await chmod(copies.dir, 0o500);
  const engine = openEngine();
  try {
    const refusal = await eventually(
      () => engine.ask(count).catch((error: unknown) => error as AnalyticsUnavailable),
      (found) => found instanceof AnalyticsUnavailable && found.details.reason === 'stopped',
    );
    expect(refusal).toBeInstanceOf(AnalyticsUnavailable);
    expect(lines).toContain('the copy for analytics stops until its next try');
    await chmod(copies.dir, 0o700);
    await engine.copy.followed();
    expect((await engine.ask<{ events: number }>(count)).rows).toEqual([{ events: 420 }]);
  } finally {
    await engine.close();
  }
}, 180_000);

test('a question that meets a damaged block is told that the copy is built, and the next ones get their responses', async () => {
  const whole = copies.open();
  await expectEqual(whole, database.pool);
  await whole.stop();
  const file = path.join(
    copies.dir,
    '1',
    (await readdir(path.join(copies.dir, '1'))).find((name) => /^copy-/.test(name))!,
  );
  const bytes = await readFile(file);
  // The blocks behind the three headers of 4 KiB; what the file says of itself may be in the last of them.
  randomBytes(64).copy(bytes, 12_288 + 100);
  await writeFile(file, bytes);
  const engine = openEngine();
  try {
    const asked = await eventually(
      () => engine.ask<{ events: number }>(count).catch((error: unknown) => error),
      (found) => !(found instanceof Error),
    );
    expect(asked).toMatchObject({ rows: [{ events: 420 }] });
  } finally {
    await engine.close();
  }
});

test.each(['lock.duckdb', 'copy-1.duckdb', 'copy-1.duckdb.wal'])(
  '%s removed under a running process: the folder stays its own, and the copy follows on',
  async (name) => {
    const copy = copies.open({ log });
    await expectEqual(copy, database.pool);
    await rm(path.join(copies.dir, '1', name), { force: true });
    await sleep(100);
    await storeSessions(database.pool, { applicationId: await other(), devices: ['late'], events: 5 });
    await expectEqual(copy, database.pool);
    await eventually(
      () => readdir(path.join(copies.dir, '1')),
      (found) => found.includes('lock.duckdb'),
    );
    await expectEqual(copies.open({ log }), database.pool);
    expect((await readdir(copies.dir)).sort()).toEqual(['1', '2']);
  },
);

/** Another application, so that the numbers above stay. */
const other = async (): Promise<string> => seedApplication(database.pool);

function openEngine(): EmbeddedEngine {
  const connection = { connectionString: database.url };
  const options = { connection, dir: copies.dir, memoryMib: 128, threads: 2, pollMillis: 20 };
  return new EmbeddedEngine({ ...options, log, metrics: analyticsMetrics([new Registry()]) });
}
