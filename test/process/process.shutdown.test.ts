// SIGTERM under requests: the process completes the response to every request that it has begun to read, and a 200 means stored.
import { createConnection, type Socket } from 'node:net';
import { parseCurl } from '../support/curl.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import {
  clearAway,
  newDataDir,
  postgresPid,
  queryEmbedded,
  startService,
  until,
  type RunningService,
} from '../support/serviceProcess.ts';
import { aReport } from '../support/uploads.ts';

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
  answer: Promise<string>;
}

async function openUpload(service: RunningService, key: string): Promise<OpenUpload> {
  const body = JSON.stringify(aReport());
  const { hostname, port } = new URL(service.url);
  let received = '';
  const socket: Socket = createConnection(Number(port), hostname);
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  socket.on('error', (error) => void (received += error.message));
  socket.on('data', (chunk: Buffer) => void (received += chunk.toString()));
  socket.write(
    `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nExpect: 100-continue\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  await until(() => (received.includes('100 Continue\r\n\r\n') ? true : undefined));
  received = '';
  return { finish: () => socket.write(body), answer };
}

test('uploads that were being read are answered 200 and stored, new connections are refused, and the exit code is 0', async () => {
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
  for (const answer of await Promise.all(uploads.map((upload) => upload.answer))) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toMatch(/\r\n\r\n\{\}$/);
  }
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(await database.prisma.session.count()).toBe(10);
  // The process writes what it keeps only in memory before it ends.
  expect((await database.prisma.apiKey.findUniqueOrThrow({ where: { public: key } })).lastUsed).not.toBeNull();
});

test('further signals, as npm and impatient hands send them, cut off nothing that is still being answered', async () => {
  const service = await startService({ DATABASE_URL: database.url });
  const key = parseCurl(service.stdout()).headers['x-api-key']!;
  const { finish, answer } = await openUpload(service, key);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) {
    process.kill(service.pid, signal);
    await until(() => (service.stdout().includes('"msg":"draining"') ? true : undefined), service);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  finish();
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(service.stdout().match(/"msg":"draining"/g)).toHaveLength(1);
  expect(await database.prisma.session.count()).toBe(1);
});

test('an upload that never ends is cut after the grace time, and the exit code is still 0', async () => {
  const service = await startService({ DATABASE_URL: database.url, SHUTDOWN_GRACE_SECONDS: '1' });
  const key = parseCurl(service.stdout()).headers['x-api-key']!;
  const { answer } = await openUpload(service, key);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await answer).not.toMatch(/^HTTP\/1\.1 200/);
});

test('in the middle of load, what was answered 200 is stored, and the embedded PostgreSQL stops with the process', async () => {
  const dataDir = newDataDir();
  const service = await startService({ DATA_DIR: dataDir });
  const { url, headers } = parseCurl(service.stdout());
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  const sender = async (): Promise<void> => {
    for (;;) {
      const report = aReport();
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(report) }).catch(() => null);
      if (!answer) return;
      statuses.add(answer.status);
      if (answer.status === 200) acknowledged.push(report.sessions[0]!.id);
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
