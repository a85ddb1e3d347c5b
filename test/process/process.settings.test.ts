// The built process obeys its settings: a setting that got lost on its way from the environment would have no effect, unnoticed.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { parseCurl } from '../support/curl.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase, startTestStore } from '../support/fakeStore.ts';
import { encryptionKey, expectPaced, setCredentials } from '../support/purchases.ts';
import { clearAway, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await clearAway();
  await database.drop();
});

const sql = (text: string, values: unknown[] = []) => database.pool.query<{ n: number }>(text, values);

test('TRUSTED_PROXIES: attempts are counted by the address that so many proxies vouch for, and logged by its network', async () => {
  const { url, stdout } = await startService({ DATABASE_URL: database.url, TRUSTED_PROXIES: '1' });
  const rowsAfterOneFrom = async (addresses: string) => {
    const query = 'mutation { refreshToken(token: "wrong") { token } }';
    const { codes } = await askAdmin(url, { query, headers: { 'X-Forwarded-For': addresses } });
    expect(codes).toEqual(['INVALID_TOKEN']);
    return (await sql('SELECT count(*)::int AS n FROM attempts')).rows[0]!.n;
  };
  // There is one row for the token, one for each IPv4 address, and two for an IPv6 address: its /64 and its /48.
  expect(await rowsAfterOneFrom('203.0.113.1')).toBe(2);
  expect(await rowsAfterOneFrom('198.51.100.7, 203.0.113.1')).toBe(2);
  expect(await rowsAfterOneFrom('203.0.113.2')).toBe(3);
  expect(await rowsAfterOneFrom('2001:db8:77:1::8')).toBe(5);
  // The log has the network, and no address.
  const lines = stdout()
    .split('\n')
    .filter((line) => line.includes('"authentication"'));
  const networks = lines.map((line) => (JSON.parse(line) as { network: string }).network);
  expect(networks).toEqual([...Array.from({ length: 3 }, () => '203.0.113.0/24'), '2001:db8:77::/48']);
  expect(stdout()).not.toMatch(/203\.0\.113\.[12]|198\.51|77:1/);
});

test('DASHBOARD_ORIGINS: their browsers may call the admin API, and others may not', async () => {
  const origins = ['https://one.example', 'https://two.example'];
  const { url } = await startService({ DATABASE_URL: database.url, DASHBOARD_ORIGINS: origins.join(',') });
  for (const origin of [...origins, 'https://three.example']) {
    const { headers } = await askAdmin(url, { query: '{ id }', headers: { Origin: origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origins.includes(origin) ? origin : null);
  }
});

test('EVENT_RETENTION_DAYS, and what every process tidies up: at once, since it may not live for an hour', async () => {
  await sql(`CREATE TABLE events_20200106 PARTITION OF events FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')`);
  await sql(`INSERT INTO nonces (nonce, application_id, body_hash, received_at)
      VALUES ('expired', gen_random_uuid(), '\\x00', now() - interval '16 minutes')`);
  const left = `SELECT (SELECT count(*)::int FROM nonces) + count(*)::int AS n
      FROM pg_class WHERE relname = 'events_20200106'`;
  expect((await sql(left)).rows).toEqual([{ n: 2 }]);
  const { opsUrl } = await startService({ DATABASE_URL: database.url, EVENT_RETENTION_DAYS: '30' });
  await eventually(
    () => sql(left),
    ({ rows }) => rows[0]!.n === 0,
  );
  const metrics = async () => (await fetch(`${opsUrl}/metrics`)).text();
  expect(await metrics()).not.toMatch(/^housekeeping_failures_total\{/m);
});

test('STORE_API_URL, STORE_ROOT_CERTIFICATES and STORE_CALLS_PER_SECOND: that store is asked, and no more often', async () => {
  const store = await startTestStore();
  try {
    const { stdout } = await startService({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: encryptionKey.toString('base64'),
      STORE_API_URL: store.url,
      STORE_ROOT_CERTIFICATES: store.rootFile,
      STORE_CALLS_PER_SECOND: '1',
    });
    const application = await database.prisma.application.findFirstOrThrow();
    await setCredentials({ database, application }, store.account);
    const ids = Array.from({ length: 3 }, () => randomUUID());
    for (const id of ids) store.answer(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
    const { url, headers } = parseCurl(stdout());
    const body = JSON.stringify({ device: { id: 'd' }, transactions: ids.map((id) => ({ id })) });
    const to = url.replace('/session', '/tm/store');
    const begun = Date.now();
    expect((await fetch(to, { method: 'POST', headers, body })).status).toBe(200);
    const resolved = () => database.prisma.storeTransaction.count({ where: { state: 'RESOLVED' } });
    await eventually(resolved, (count) => count === 3);
    expectPaced(store, begun, 1);
  } finally {
    await store.stop();
  }
});
