// The built process on a new machine: the output that a newcomer sees after `npm start`, and the data that survives a `kill -9`.
import { Agent, request } from 'node:https';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startTcpProxy } from '../faults/support/tcpProxy.ts';
import { askAdmin } from '../support/adminClient.ts';
import { parseCurl, sendCurl } from '../support/curl.ts';
import { eventually } from '../support/eventually.ts';
import { haproxyIsInstalled, type RunningProxy, startHaproxy } from '../support/haproxy.ts';
import { retried } from '../support/retried.ts';
import {
  clearAway,
  killHard,
  newDataDir,
  postgresPid,
  queryEmbedded,
  runBuilt,
  type RunningService,
  startService,
  until,
} from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { unusedPort } from '../support/unusedPort.ts';
import { aReport } from '../support/uploads.ts';

describe('process', () => {
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
    test('prints an address, keys, a login and a command that responses 200; sent again it is still one session', async () => {
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
});

// Two processes behind HAProxy are restarted in turn under load: the proxy takes a process out before its port closes.
describe('process.restart', () => {
  const testWithProxy = haproxyIsInstalled() ? test : test.skip;
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  let database: TestDatabase;
  let proxy: RunningProxy | undefined;
  let over = false;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    agent.destroy();
    over = true;
    await proxy?.stop();
    await clearAway();
    await database.drop();
  });

  /** The new process takes the port of the old one, as the proxy expects. */
  async function place() {
    const [port, opsPort] = [await unusedPort(), await unusedPort()];
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: newDataDir(),
      DRAIN_DELAY_SECONDS: '5',
      PORT: String(port),
      OPS_PORT: String(opsPort),
    };
    return { service: `http://127.0.0.1:${port}`, ops: `http://127.0.0.1:${opsPort}`, start: () => startService(env) };
  }

  const headersOf = (key: string) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json' });

  function upload(url: string, key: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { agent, method: 'POST', headers: headersOf(key) };
      const sent = request(`${url}/api/v1/session`, options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      sent.on('error', reject).end(JSON.stringify(aReport()));
    });
  }

  /** Resolves when the public port is closed, to the statuses of uploads that it got past the proxy since the signal. */
  async function watchEnd({ url, opsUrl }: RunningService, key: string): Promise<number[]> {
    const ready = await fetch(`${opsUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason: 'draining' }]);
    const statuses: number[] = [];
    for (;;) {
      const sent = { method: 'POST', headers: headersOf(key), body: JSON.stringify(aReport()) };
      const got = await fetch(`${url}/api/v1/session`, sent).catch(() => null);
      if (!got) return statuses;
      statuses.push(got.status);
      await got.arrayBuffer();
      await pause(50);
    }
  }

  testWithProxy(
    'no upload is refused a connection, and a process that has the signal still serves for DRAIN_DELAY_SECONDS',
    async () => {
      const places = [await place(), await place()] as const;
      const running = [await places[0].start(), await places[1].start()];
      const key = parseCurl(running[0]!.stdout()).headers['x-api-key']!;
      proxy = await startHaproxy({ ingest: places[0], admin: places[0] }, [places[1]]);
      const bothUp = async (): Promise<void> => {
        while (!(await proxy!.counts()).every(({ up }) => up)) await pause(100);
      };
      await bothUp();
      const statuses = new Map<number | string, number>();
      const sender = async (): Promise<void> => {
        while (!over) {
          const status = await upload(proxy!.url, key).catch((error: Error) => error.message);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const senders = Promise.all(Array.from({ length: 8 }, sender));
      for (const position of [0, 1, 0] as const) {
        const ending = running[position]!;
        const begun = performance.now();
        process.kill(ending.pid, 'SIGTERM');
        await until(() => (ending.stdout().includes('"msg":"draining"') ? true : undefined), ending);
        const past = await watchEnd(ending, key);
        expect(performance.now() - begun).toBeGreaterThan(4_900);
        expect(past.length).toBeGreaterThan(0);
        expect(new Set(past)).toEqual(new Set([200]));
        expect(await ending.ended).toEqual({ code: 0, signal: null });
        running[position] = await places[position].start();
        await bothUp();
      }
      over = true;
      await senders;
      expect([...statuses.keys()]).toEqual([200]);
      for (const { failures, responses } of await proxy.counts()) {
        expect(failures).toBe(0);
        expect(responses).toBeGreaterThan(100);
      }
    },
  );
});

// SIGTERM under requests: the process completes the response to every request that it has begun to read, and a 200 means stored.
describe('process.shutdown', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ empty: true });
  });
  afterEach(async () => {
    await clearAway();
    await database.drop();
  });

  /** An upload whose headers the service has read and confirmed with 100, and whose body is not yet sent. */
  interface OpenUpload {
    finish: () => void;
    result: Promise<string>;
  }

  async function openUpload(service: RunningService, key: string): Promise<OpenUpload> {
    const body = JSON.stringify(aReport());
    const { hostname, port } = new URL(service.url);
    let received = '';
    const socket: Socket = createConnection(Number(port), hostname);
    const result = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
    socket.on('error', (error) => void (received += error.message));
    socket.on('data', (chunk: Buffer) => void (received += chunk.toString()));
    socket.write(
      `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    await until(() => (received.includes('100 Continue\r\n\r\n') ? true : undefined));
    received = '';
    return { finish: () => socket.write(body), result };
  }

  test('uploads that were being read get 200 and are stored, new connections are refused, and the exit code is 0', async () => {
    const service = await startService({ DATABASE_URL: database.url });
    const key = parseCurl(service.stdout()).headers['x-api-key']!;
    const uploads = await Promise.all(Array.from({ length: 10 }, () => openUpload(service, key)));
    process.kill(service.pid, 'SIGTERM');
    await until(() => (service.stdout().includes('"msg":"draining"') ? true : undefined), service);
    const ready = await fetch(`${service.opsUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason: 'draining' }]);
    expect((await fetch(`${service.opsUrl}/livez`)).status).toBe(200);
    await expect(fetch(service.url)).rejects.toThrow();
    for (const { finish } of uploads) finish();
    for (const result of await Promise.all(uploads.map((upload) => upload.result))) {
      expect(result).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(result).toMatch(/\r\nConnection: close\r\n/i);
      expect(result).toMatch(/\r\n\r\n\{\}$/);
    }
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(await database.prisma.session.count()).toBe(10);
    // The process writes what it keeps only in memory before it ends.
    expect((await database.prisma.apiKey.findUniqueOrThrow({ where: { public: key } })).lastUsed).not.toBeNull();
  });

  test('further signals, as npm and impatient hands send them, cut off nothing that is still being served', async () => {
    const service = await startService({ DATABASE_URL: database.url });
    const key = parseCurl(service.stdout()).headers['x-api-key']!;
    const { finish, result: outcome } = await openUpload(service, key);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      process.kill(service.pid, signal);
      await until(() => (service.stdout().includes('"msg":"draining"') ? true : undefined), service);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    finish();
    expect(await outcome).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.stdout().match(/"msg":"draining"/g)).toHaveLength(1);
    expect(await database.prisma.session.count()).toBe(1);
  });

  test('an upload that never ends is cut after the grace time, and the exit code is still 0', async () => {
    const service = await startService({ DATABASE_URL: database.url, SHUTDOWN_GRACE_SECONDS: '1' });
    const key = parseCurl(service.stdout()).headers['x-api-key']!;
    const { result: outcome } = await openUpload(service, key);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await outcome).not.toMatch(/^HTTP\/1\.1 200/);
  });

  test('in the middle of load, what gets 200 is stored, and the embedded PostgreSQL stops with the process', async () => {
    const dataDir = newDataDir();
    const service = await startService({ DATA_DIR: dataDir });
    const { url, headers } = parseCurl(service.stdout());
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const sender = async (): Promise<void> => {
      for (;;) {
        const report = aReport();
        const result = await fetch(url, { method: 'POST', headers, body: JSON.stringify(report) }).catch(() => null);
        if (!result) return;
        statuses.add(result.status);
        if (result.status === 200) acknowledged.push(report.sessions[0]!.id);
      }
    };
    const senders = Promise.all(Array.from({ length: 16 }, sender));
    await until(() => (acknowledged.length > 200 ? true : undefined), service);
    expect(await service.end('SIGINT')).toEqual({ code: 0, signal: null });
    await senders;
    expect([...statuses]).toEqual([200]);
    expect(postgresPid(dataDir)).toBeUndefined();
    const again = await startService({ DATA_DIR: dataDir });
    const rows = await queryEmbedded<{ id: string }>(dataDir, 'SELECT id FROM sessions');
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    await again.end('SIGTERM');
  });
});

// The database is away under load: the log says so once for each kind of failure, and not once for each request.
describe('process.outage', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await clearAway();
    await database.drop();
  });

  test('uploads, fetches, logins and jobs that fail for fifteen seconds fill no log', async () => {
    const proxy = await startTcpProxy(database.url);
    const env = { DATABASE_URL: proxy.through(database.url), DATA_DIR: newDataDir(), DATABASE_TIMEOUT_MILLIS: '10000' };
    const service = await startService(env);
    const { headers } = parseCurl(service.stdout());
    const before = service.stdout().length;
    const statuses = new Map<number, number>();
    const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const send = async (path: string, body?: string): Promise<void> => {
      const sent = { headers, ...(body !== undefined && { method: 'POST', body }) };
      const result = await fetch(service.url + path, sent);
      await result.arrayBuffer();
      count(result.status);
    };
    const query = 'mutation { login(input: { email: "a@example.com", password: "a fine phrase" }) { token } }';
    await proxy.close();
    const until = performance.now() + 15_000;
    const again = async (work: () => Promise<unknown>): Promise<void> => {
      while (performance.now() < until) {
        await work();
        await pause(20);
      }
    };
    await Promise.all([
      ...Array.from({ length: 4 }, () => again(() => send('/api/v1/session', JSON.stringify(aReport())))),
      again(() => send('/api/v1/campaigns?platform=iOS')),
      again(() => askAdmin(service.url, { query })),
    ]);
    const lines = service.stdout().slice(before).trim().split('\n');
    const failures = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    // On two busy cores 3,355 requests failed.
    expect(statuses.get(503)).toBeGreaterThan(200);
    expect(failures.length).toBeLessThan(40);
    expect(lines.join('').length).toBeLessThan(60_000);
    const kinds = failures.map(({ msg, operation, task, path }) => JSON.stringify([msg, operation ?? task ?? path]));
    expect(kinds).toEqual(
      expect.arrayContaining([
        '["unavailable","reportSessions"]',
        '["unavailable","getCampaigns"]',
        '["admin operation failed","login"]',
        '["authentication","login"]',
      ]),
    );
    expect(kinds.filter((kind, at) => kinds.indexOf(kind) !== at)).toEqual([]);
  });
});

// The built process with the smallest pool that it accepts: every role serves, and none waits for another of its own connections.
describe('process.smallestPool', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await clearAway();
    await database.drop();
  });

  const smallest = () => ({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: '2' });
  const ready = async (opsUrl: string) => (await fetch(`${opsUrl}/readyz`)).status;

  test.each(['api', 'all'])('ROLE=%s serves uploads and purchases at once, and is ready', async (ROLE) => {
    const service = await startService({ ...smallest(), ROLE });
    const { url, headers } = parseCurl(service.stdout());
    const post = async (to: string, body: unknown) => {
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      // A busy machine may let purchases wait longer than they may (publicApi.ts).
      return (await retried(() => fetch(to, sent))).status;
    };
    const purchases = url.replace('/session', '/tm/store');
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2
          ? post(url, aReport())
          : post(purchases, { device: { id: 'd' }, transactions: [{ id: `t${index}` }] }),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await ready(service.opsUrl)).toBe(200);
    const jobs = () => database.pool.query('SELECT FROM graphile_worker._private_jobs');
    if (ROLE === 'all') await eventually(jobs, ({ rowCount }) => rowCount === 0);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  test('ROLE=worker is ready, and ends in peace', async () => {
    const worker = runBuilt('src/main.js', { ...smallest(), ROLE: 'worker', OPS_PORT: '0' });
    const opsUrl = await until(() => /"ops":"([^"]*)"/.exec(worker.stdout())?.[1], worker);
    expect(await ready(opsUrl)).toBe(200);
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(worker.stdout()).not.toContain('heartbeat of the job worker failed');
  });
});
