// The database is away under load: the log says so once for each kind of failure, and not once for each request.
import { setTimeout as pause } from 'node:timers/promises';
import { startTcpProxy } from '../faults/support/tcpProxy.ts';
import { askAdmin } from '../support/adminClient.ts';
import { parseCurl } from '../support/curl.ts';
import { clearAway, newDataDir, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { aReport } from '../support/uploads.ts';

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
    const answer = await fetch(service.url + path, sent);
    await answer.arrayBuffer();
    count(answer.status);
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
