// EVENT_RETENTION_DAYS and attribution: of the old reports of a device the latest of each provider stay, and no read changes.
import { randomUUID } from 'node:crypto';
import { latestAttribution } from '../../src/attribution/attributionStore.ts';
import { removeOldAttribution } from '../../src/attribution/removeOldAttribution.ts';
import { deleteReports, nextReports } from '../../src/attribution/retentionStore.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findDevice } from '../../src/devices/deviceStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const log = createLog('silent');
let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);

type Attribution = Record<string, object>;

/** Computed here: a cluster takes no `now()` in a condition of `SET`. */
const before = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

/** Reports it, and dates the arrival back. */
async function report(id: string, { custom, ...attribution }: Attribution, daysAgo: number): Promise<void> {
  const body = { device: { id }, system: { os_version: '18' }, attribution, custom: custom ?? null };
  const headers = { 'X-Api-Key': service.application.key.public };
  expect((await service.client.send('reportAttribution', headers, body)).status).toBe(200);
  await sql(
    `UPDATE attribution_reports SET received_at = least(received_at, $1),
        last_received_at = CASE WHEN last_received_at IS NOT NULL OR received_at < $3 THEN $1 END
      WHERE device_id = $2 AND coalesce(last_received_at, received_at) > $4`,
    [before(daysAgo * 86_400), id, before(3_600), before(60)],
  );
}

const run = async (size?: number) => {
  await sql("UPDATE retention_walks SET due_at = now() - interval '1 second'");
  await removeOldAttribution(service.database.pool, { daysKept: 30, log, ...(size && { size }) });
};
const left = async (id: string) => (await sql('SELECT FROM attribution_reports WHERE device_id = $1', [id])).rowCount;

/** What the admin API shows of it. */
async function shown(id: string) {
  const key = deviceKey(service.application.id, id);
  const latest = await latestAttribution(service.database.pool, { deviceKey: key, bytes: 1_000_000 });
  const [device] = await findDevice(service.database.pool, { key, bytes: 1_000_000 });
  return { latest, first: device!.firstSeenAt, last: device!.lastSeenAt };
}

test('organic, partner, organic: the partner goes, and what is shown stays', async () => {
  const id = randomUUID();
  for (const [from, days] of Object.entries({ organic: 90, partner: 80 }))
    await report(id, { provider_a: { from } }, days);
  await report(id, { provider_a: { from: 'organic' } }, 70);
  const before = await shown(id);
  expect(before.latest).toMatchObject([{ payload: '{"from":"organic"}' }]);
  await run();
  expect([await left(id), await shown(id)]).toEqual([1, before]);
});

test('a superseded report stays for the days, and the latest of each provider for ever', async () => {
  const id = randomUUID();
  await report(id, { provider_a: { v: 1 }, provider_b: { v: 1 } }, 400);
  await report(id, { provider_a: { v: 2 }, custom: { v: 1 } }, 300);
  await report(id, { store_search_ads: { orgId: 1 } }, 200);
  await report(id, { provider_a: { v: 3 }, custom: { v: 2 } }, 29);
  await report(id, { provider_a: { v: 4 } }, 28);
  await run();
  expect(await left(id)).toBe(4);
  expect((await shown(id)).latest.map(({ payload }) => payload)).toEqual([
    '{"v":4}',
    '{"orgId":1}',
    '{"v":1}',
    '{"v":2}',
  ]);
});

test('a report that comes again after it was removed is stored, and is the latest', async () => {
  const id = randomUUID();
  await report(id, { provider_a: { v: 1 } }, 90);
  await report(id, { provider_a: { v: 2 } }, 80);
  await run();
  await report(id, { provider_a: { v: 1 } }, 0);
  expect((await shown(id)).latest).toMatchObject([{ payload: '{"v":1}' }]);
  expect(await left(id)).toBe(2);
});

test('many devices, in small batches, by two processes at once, of which one is cut off: nothing shown changes', async () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const providers = ['provider_a', 'provider_b', 'store_search_ads', 'custom'];
  const ids = Array.from({ length: 12 }, () => randomUUID());
  for (const id of ids)
    for (let nth = random(9); nth >= 0; nth--) {
      const used = providers.filter(() => random(3) === 0).map((provider) => [provider, { v: random(3) }]);
      await report(id, Object.fromEntries(used) as Attribution, 5 + random(90));
    }
  const before = await Promise.all(ids.map(shown));
  let statements = 40;
  const cutOff = new Proxy(service.database.pool, {
    get: (pool, name) => {
      if (name === 'connect' && (statements -= 10) < 0) throw new Error('cut off');
      return Reflect.get(pool, name) as unknown;
    },
  });
  await sql("UPDATE retention_walks SET due_at = now() - interval '1 second'");
  const options = { daysKept: 30, log, size: 3 };
  await expect(removeOldAttribution(cutOff, options)).rejects.toThrow('cut off');
  expect((await sql('SELECT position FROM retention_walks')).rows[0]).not.toEqual({ position: null });
  await Promise.all([1, 2].map(() => removeOldAttribution(service.database.pool, options)));
  await removeOldAttribution(service.database.pool, options);
  expect((await sql('SELECT position FROM retention_walks')).rows).toEqual([{ position: null }]);
  expect(await Promise.all(ids.map(shown))).toEqual(before);
  // A report that is old stays only as the latest of all, or of one of its providers.
  const { rows: left } =
    await sql(`SELECT device_id, coalesce(last_received_at, received_at) AS at, to_jsonb(r) AS report
    FROM attribution_reports r ORDER BY at DESC`);
  const kept = new Set<string>();
  for (const { device_id, at, report } of left as { device_id: string; at: Date; report: Record<string, unknown> }[]) {
    const what = ['', ...providers.filter((provider) => report[provider] !== null)].map(
      (name) => `${device_id} ${name}`,
    );
    const isLatest = what.some((each) => !kept.has(each));
    for (const each of what) kept.add(each);
    expect(isLatest || at.getTime() >= Date.now() - 30 * 86_400_000).toBe(true);
  }
});

test('a report that arrives again between the look at it and its removal stays', async () => {
  const id = randomUUID();
  await report(id, { provider_a: { v: 1 } }, 90);
  await report(id, { provider_a: { v: 2 } }, 80);
  const stretch = { after: null, limit: 10, daysKept: 30 };
  const seen = await inTransaction(service.database.pool, (transaction) => nextReports(transaction, stretch));
  await report(id, { provider_a: { v: 1 } }, 0);
  const removed = await inTransaction(service.database.pool, (transaction) =>
    deleteReports(transaction, [seen.find(({ at }) => at === seen.at(-1)!.at)!], 30),
  );
  expect([removed, await left(id)]).toEqual([0, 2]);
});

test('a walk begins once a day', async () => {
  const id = randomUUID();
  await run();
  for (const [v, days] of [90, 80].entries()) await report(id, { provider_a: { v } }, days);
  await removeOldAttribution(service.database.pool, { daysKept: 30, log });
  expect(await left(id)).toBe(2);
  await run();
  expect(await left(id)).toBe(1);
});
