// POST /api/v1/store/notifications/{applicationId}: every refusal.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { known, startNotificationTest, tell, tellText, type NotificationTest } from '../support/storeNotifications.ts';
import { startTestService } from '../support/testService.ts';
import { mintChain, type Chain } from '../tools/demo/fakeStore/certificates.ts';
import { fakeAppId, signNotification } from '../tools/demo/fakeStore/notifications.ts';

let notifications: NotificationTest;
let forged: Chain;
beforeAll(async () => {
  notifications = await startNotificationTest();
  forged = await mintChain();
});
afterAll(() => notifications.stop());

const bundleId = 'com.example.test';
const refused = { status: 422 };
const purchase = () => aPurchase({ transactionId: randomUUID() });
const send = (body: unknown, headers: Record<string, string> = {}, id = notifications.service.application.id) =>
  notifications.service.client.send('receiveStoreNotification', headers, body, id);

test("in production the store's number of the app counts once it is set, and the sandbox has none", async () => {
  const { service } = notifications;
  const { prisma } = service.database;
  const setNumber = (storeAppId: string | null) =>
    prisma.application.update({ where: { id: service.application.id }, data: { storeAppId } });
  await setNumber(String(fakeAppId + 1));
  expect(await tell(notifications, { type: 'TEST' })).toMatchObject(refused);
  expect(await tell(notifications, { type: 'TEST', environment: 'sandbox' })).toMatchObject({ status: 200 });
  await setNumber(String(fakeAppId));
  expect(await tell(notifications, { type: 'TEST' })).toMatchObject({ status: 200 });
  await setNumber(null);
  expect(await tell(notifications, { type: 'TEST', appId: 77 })).toMatchObject({ status: 200 });
});

test.each<[string, unknown, string[]]>([
  ['no payload', {}, ['signedPayload']],
  ['null', { signedPayload: null }, ['signedPayload']],
  ['a number', { signedPayload: 1 }, ['signedPayload']],
  ['no object', [], ['']],
  ['no JSON', Buffer.from('{'), ['']],
])('422 for a body with %s', async (_, body, paths) => {
  const answer = await send(body);
  expect(answer.status).toBe(422);
  expect(pathsOf(answer)).toEqual(paths);
});

test('415 for another media type', async () => {
  expect((await send(Buffer.from('{}'), { 'Content-Type': 'text/plain' })).status).toBe(415);
});

test('413 beyond 256 KiB, as sent and after inflating, before anything of it is read', async () => {
  const tooLarge = { status: 413, body: { unit: 'bytes', limit: 262_144 } };
  expect(await send(Buffer.alloc(262_145, ' '))).toMatchObject(tooLarge);
  expect(await send(gzipSync(Buffer.alloc(262_145, ' ')), { 'Content-Encoding': 'gzip' })).toMatchObject(tooLarge);
  expect((await send(Buffer.alloc(262_144, ' '))).status).toBe(422);
});

test.each([randomUUID(), 'x', '%00', "'", 'ffffffff-ffff-ffff-ffff-fffffffffff', '..%2f', randomUUID().toUpperCase()])(
  '404 for the unknown application %s, before the body is read',
  async (id) => {
    const answer = await send(Buffer.from('{'), { 'Content-Type': 'text/plain' }, id);
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
  },
);

test.each(['', 'a/b', '/'])('404 without a route for the rest %p', async (rest) => {
  const answer = await fetch(`${notifications.service.url}/api/v1/store/notifications/${rest}`, {
    method: 'POST',
    body: '{}',
  });
  expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not Found' }]);
});

test('404 at once for a deleted application', async () => {
  const { service } = notifications;
  const { id } = await service.newApplication();
  await service.database.prisma.application.update({ where: { id }, data: { deletedAt: new Date() } });
  expect(await send({ signedPayload: 'x' }, {}, id)).toMatchObject({ status: 404 });
});

test('503 without root certificates', async () => {
  await using service = await startTestService();
  const { signedPayload } = signNotification({ type: 'TEST', bundleId }, notifications.store.chain);
  const answer = await tellText({ service }, signedPayload);
  expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
});

test('503 without a database, and the same notification is stored when it comes again', async () => {
  let away = true;
  const failure = Object.assign(new Error('for this test'), { code: 'ECONNREFUSED' });
  const test = await startNotificationTest({
    change: (deps) => ({
      ...deps,
      storeNotifications: {
        find: (id) => (away ? Promise.reject(failure) : deps.storeNotifications.find(id)),
        receive: (...sent) => deps.storeNotifications.receive(...sent),
      },
    }),
  });
  try {
    const told = { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() };
    expect(await tell(test, told)).toMatchObject({ status: 503 });
    expect(await known(test)).toEqual([]);
    away = false;
    expect(await tell(test, told)).toMatchObject({ status: 200 });
    expect(await known(test)).toMatchObject([{ id: told.uuid }]);
  } finally {
    await test.stop();
  }
});

test('500 when the service fails, and nothing of the notification is stored', async () => {
  const test = await startNotificationTest();
  try {
    await test.service.database.pool.query('ALTER TABLE store_entitlements RENAME TO away');
    const told = { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() };
    expect(await tell(test, told)).toMatchObject({ status: 500 });
    expect(await known(test)).toEqual([]);
  } finally {
    await test.stop();
  }
});

test('ids that somebody invents never stand before a notification that is to be verified', async () => {
  const { pool } = notifications.service.database;
  const lock = await holdLock(pool, 'LOCK TABLE applications IN ACCESS EXCLUSIVE MODE');
  const invented = Array.from({ length: 200 }, () => send({}, {}, randomUUID()));
  // One statement looks for one of them. All others wait for it together, and so does the honest notification.
  await lock.waiting(1);
  const honest = tell(notifications, { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() });
  await lock.release();
  expect(await honest).toMatchObject({ status: 200 });
  expect(new Set((await Promise.all(invented)).map(({ status }) => status))).toEqual(new Set([404]));
});

test('beside 200 connections that send {} to invented ids, each honest notification is stored', async () => {
  let isOver = false;
  const statuses: number[] = [];
  const flood = Array.from({ length: 200 }, async () => {
    while (!isOver) statuses.push((await send({}, {}, randomUUID())).status);
  });
  const told: number[] = [];
  for (let count = 0; count < 20; count++)
    told.push((await tell(notifications, { uuid: randomUUID(), type: 'TEST' })).status);
  isOver = true;
  await Promise.all(flood);
  expect(told).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(statuses)).toEqual(new Set([404]));
});

test('beside 200 forged notifications of one application, those of another take their turns', async () => {
  const { service, store } = notifications;
  const other = await service.newApplication();
  const { signedPayload } = signNotification({ type: 'TEST', bundleId, chain: forged }, store.chain);
  // Held while they verify and store: the forged ones fill the line.
  const lock = await holdLock(service.database.pool, 'LOCK TABLE store_notifications IN ACCESS EXCLUSIVE MODE');
  const storing = Array.from({ length: 3 }, () => tell(notifications, { uuid: randomUUID(), type: 'TEST' }));
  await lock.waiting(3);
  const forgery = Array.from({ length: 200 }, () => tellText(notifications, signedPayload));
  const honest = tell(notifications, { uuid: randomUUID(), type: 'TEST' }, other.id);
  const refusals = Promise.all(forgery);
  await Promise.race(forgery);
  await lock.release();
  expect(await honest).toMatchObject({ status: 200 });
  expect((await Promise.all(storing)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set((await refusals).map(({ status }) => status))).toEqual(new Set([422, 503]));
});

test('a flood of forged notifications leaves uploads their connections', async () => {
  const { service } = notifications;
  const { signedPayload } = signNotification({ type: 'TEST', bundleId, chain: forged }, notifications.store.chain);
  const { pool } = service.database;
  const lock = await holdLock(pool, 'LOCK TABLE applications IN ACCESS EXCLUSIVE MODE');
  const flood = Array.from({ length: 300 }, () => tellText(notifications, signedPayload));
  // One of the pool's ten connections looks for the application, and one holds the lock.
  await lock.waiting(1);
  await Promise.all(
    Array.from({ length: 6 }, () => inTransaction(pool, (transaction) => transaction.query('SELECT pg_sleep(0.1)'))),
  );
  await lock.release();
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([...statuses].filter((status) => ![422, 503].includes(status))).toEqual([]);
});
