// Purchases: how often the store is called, and when a call is retried.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import { eventually } from '../support/eventually.ts';
import {
  expectPaced,
  settled,
  startPurchaseTest,
  startTestWorker,
  transactionsOf,
  upload,
  type PurchaseTest,
} from '../support/purchases.ts';
import { retried } from '../support/retried.ts';

let purchases: PurchaseTest;
let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await purchases.stop();
});

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

test('300 ids uploaded twice at once are 300 look-ups that succeed, and no duplicate', async () => {
  purchases = await startPurchaseTest();
  const { service, store } = purchases;
  const all = ids(300);
  for (const id of all) store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
  const devices = [randomUUID(), randomUUID()];
  const halves = [all.slice(0, 150), all.slice(150)];
  const responses = await Promise.all(
    devices.flatMap((device) => halves.map((half) => retried(() => upload(service, half, { device })))),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { prisma } = service.database;
  const resolved = () => prisma.storeTransaction.count({ where: { state: 'RESOLVED' } });
  await eventually(resolved, (count) => count === 300);
  expect(store.calls.filter(({ status }) => status === 200)).toHaveLength(300);
  expect(new Set(store.calls.map(({ id }) => id)).size).toBe(300);
  expect(await prisma.storeTransaction.count()).toBe(300);
  expect(await prisma.storeEntitlement.count()).toBe(300);
  for (const device of devices) expect(await transactionsOf(service, device)).toHaveLength(300);
});

test('calls of one application stay below the limit, with two workers, and another application is not held up', async () => {
  const callsPerSecond = 10;
  purchases = await startPurchaseTest({ callsPerSecond });
  const { service, store } = purchases;
  stops.push(await startTestWorker(purchases, { callsPerSecond }));
  const other = { ...service, application: await service.newApplication() };
  const backlog = ids(60);
  for (const id of backlog) store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
  const begun = Date.now();
  await upload(service, backlog);
  const waiting = randomUUID();
  await upload(other, [waiting]);
  await settled(other, waiting, ['PENDING', 'no_credentials']);
  expect(store.calls.length).toBeLessThan(60);
  await eventually(
    () => service.database.prisma.storeTransaction.count({ where: { state: 'RESOLVED' } }),
    (count) => count === 60,
  );
  expect(store.calls).toHaveLength(60);
  expectPaced(store, begun, callsPerSecond);
});

test('Retry-After, in UNIX milliseconds, is kept, by every transaction of the application', async () => {
  purchases = await startPurchaseTest();
  const { service, store } = purchases;
  const [busy, next] = ids(2) as [string, string];
  const until = Date.now() + 15_000;
  const limited = { status: 429, code: 4_290_000, retryAfter: String(until) };
  store.respondWith(busy, { production: [limited, { purchase: aPurchase({ transactionId: busy }) }] });
  store.respondWith(next, { production: [{ purchase: aPurchase({ transactionId: next }) }] });
  await upload(service, [busy]);
  await settled(service, busy, ['PENDING', 'store_busy']);
  await upload(service, [next]);
  for (const id of [busy, next]) await settled(service, id, ['RESOLVED']);
  const later = store.calls.filter(({ status }) => status === 200);
  expect(later).toHaveLength(2);
  for (const call of later) expect(call.at).toBeGreaterThanOrEqual(until - 20);
  expect(store.calls).toHaveLength(3);
});
