// Two processes behind HAProxy are restarted in turn under load: the proxy takes a process out before its port closes.
import { Agent, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCurl } from '../support/curl.ts';
import { haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';
import { clearAway, newDataDir, startService, until, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { unusedPort } from '../support/unusedPort.ts';
import { aReport } from '../support/uploads.ts';

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
