// The built process on a new machine: the output that a newcomer sees after `npm start`, and the data that survives a `kill -9`.
import { parseCurl, sendCurl } from '../support/curl.ts';
import {
  clearAway,
  killHard,
  newDataDir,
  postgresPid,
  queryEmbedded,
  startService,
  type RunningService,
} from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterEach(clearAway);
afterAll(() => database.drop());

interface Counts {
  sessions: number;
  events: number;
}

async function countRows(dataDir: string): Promise<Counts> {
  const counts = '(SELECT count(*) FROM sessions)::int AS sessions, (SELECT count(*) FROM events)::int AS events';
  return (await queryEmbedded<Counts>(dataDir, `SELECT ${counts}`))[0]!;
}

const tryIt = (service: RunningService) => sendCurl(parseCurl(service.stdout()));
const publicKey = (service: RunningService) => /public key +(pub_\w{32})$/m.exec(service.stdout())![1];

describe('the first start', () => {
  test('prints an address, keys, a login and a command that answers 200; sent again it is still one session', async () => {
    const dataDir = newDataDir();
    const service = await startService({ DATA_DIR: dataDir });
    expect(service.stdout()).toContain(`Base URL         ${service.url}`);
    expect(service.stdout()).toMatch(/secret key +sec_\w{32}$/m);
    expect(service.stdout()).toMatch(/Dashboard login +\S+@\S+ \/ \S+$/m);
    expect(service.stderr()).toMatch(/^Warning: SESSION_SIGNATURE=optional/);
    for (let i = 0; i < 3; i++) expect(await tryIt(service)).toEqual({ status: 200, body: {} });
    expect(await countRows(dataDir)).toEqual({ sessions: 1, events: 1 });
    expect(await queryEmbedded(dataDir, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await queryEmbedded(dataDir, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(postgresPid(dataDir)).toBeUndefined();
  });

  test('listens on loopback, and serves health and metrics on the private port only', async () => {
    const service = await startService({ DATABASE_URL: database.url });
    expect([service.url, service.opsUrl]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    ]);
    await tryIt(service);
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^http_requests_total\{operation="reportSessions",status="200"\} 1$/m);
    expect(metrics).toMatch(/^ingest_events_total\{result="inserted"\} 1$/m);
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const [inside, outside] = await Promise.all([fetch(service.opsUrl + path), fetch(service.url + path)]);
      expect([path, inside.status, outside.status]).toEqual([path, 200, 404]);
      expect(await outside.json()).toEqual({ detail: 'Not Found' });
    }
    expect((await fetch(`${service.opsUrl}/api/v1/session`, { method: 'POST' })).status).toBe(404);
  });
});

describe('after kill -9', () => {
  test.each([
    ['of the process alone', false],
    ['of the process and of PostgreSQL', true],
  ])('%s, the next start has the same keys and all that was acknowledged', async (_, alsoPostgres) => {
    const dataDir = newDataDir();
    const first = await startService({ DATA_DIR: dataDir });
    expect(await tryIt(first)).toMatchObject({ status: 200 });
    expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const postgres = postgresPid(dataDir)!;
    expect(postgres).toBeGreaterThan(0);
    if (alsoPostgres) await killHard(postgres);
    const second = await startService({ DATA_DIR: dataDir });
    expect(publicKey(second)).toBe(publicKey(first));
    expect(await countRows(dataDir)).toEqual({ sessions: 1, events: 1 });
    expect(await tryIt(second)).toMatchObject({ status: 200 });
    expect(await countRows(dataDir)).toEqual({ sessions: 1, events: 1 });
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(postgresPid(dataDir)).toBeUndefined();
  });
});

describe('two services', () => {
  test('with folders and ports of their own run side by side and share nothing', async () => {
    const dataDirs = [newDataDir(), newDataDir()];
    const [one, other] = await Promise.all(dataDirs.map((dataDir) => startService({ DATA_DIR: dataDir })));
    expect(publicKey(one!)).not.toBe(publicKey(other!));
    expect(await tryIt(one!)).toMatchObject({ status: 200 });
    expect(await Promise.all(dataDirs.map(countRows))).toMatchObject([{ sessions: 1 }, { sessions: 0 }]);
    expect(await one!.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await tryIt(other!)).toMatchObject({ status: 200 });
  });

  test('with one folder share its PostgreSQL, and the last one to stop ends it', async () => {
    const dataDir = newDataDir();
    const [one, other] = await Promise.all([1, 2].map(() => startService({ DATA_DIR: dataDir })));
    expect(publicKey(one!)).toBe(publicKey(other!));
    expect(await tryIt(one!)).toMatchObject({ status: 200 });
    expect(await one!.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await tryIt(other!)).toMatchObject({ status: 200 });
    expect(await countRows(dataDir)).toEqual({ sessions: 1, events: 1 });
    expect(await other!.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(postgresPid(dataDir)).toBeUndefined();
  });
});

test('with SESSION_SIGNATURE=required the printed command is signed, good once for one body, and unsigned ones are refused', async () => {
  const service = await startService({ DATABASE_URL: database.url, SESSION_SIGNATURE: 'required' });
  const command = parseCurl(service.stdout());
  expect(service.stderr()).not.toContain('Warning: SESSION_SIGNATURE');
  for (let i = 0; i < 2; i++) expect(await sendCurl(command)).toEqual({ status: 200, body: {} });
  expect(await sendCurl({ ...command, body: command.body.replace('user-1', 'user-2') })).toMatchObject({
    status: 403,
    body: { reason: 'signature_mismatch' },
  });
  const unsigned = Object.fromEntries(Object.entries(command.headers).filter(([name]) => name !== 'x-signature'));
  expect(await sendCurl({ ...command, headers: unsigned })).toMatchObject({
    status: 403,
    body: { reason: 'signature_missing' },
  });
});
