// The built process with the smallest pool that it accepts: every role serves, and none waits for another of its own connections.
import { parseCurl } from '../support/curl.ts';
import { eventually } from '../support/eventually.ts';
import { retried } from '../support/retried.ts';
import { clearAway, runBuilt, startService, until } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { aReport } from '../support/uploads.ts';

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

test.each(['api', 'all'])('ROLE=%s answers uploads and purchases at once, and is ready', async (ROLE) => {
  const service = await startService({ ...smallest(), ROLE });
  const { url, headers } = parseCurl(service.stdout());
  const post = async (to: string, body: unknown) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    // A busy machine may let purchases wait longer than they may (requestKinds.ts).
    return (await retried(() => fetch(to, sent))).status;
  };
  const purchases = url.replace('/session', '/tm/store');
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 2 ? post(url, aReport()) : post(purchases, { device: { id: 'd' }, transactions: [{ id: `t${index}` }] }),
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
