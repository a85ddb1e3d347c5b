// POST /api/v1/store/notifications/{applicationId}: what an attacker without a key can send is refused, and nothing of it is stored.
import { createHmac, randomUUID, sign } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { known, startNotificationTest, tell, tellText, type NotificationTest } from '../support/storeNotifications.ts';
import { mintChain, type Chain } from '../tools/demo/fakeStore/certificates.ts';
import { fakeAppId, signNotification } from '../tools/demo/fakeStore/notifications.ts';
import { signedTransaction } from '../tools/demo/fakeStore/signedData.ts';

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
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function payloadOf(transactionId: string): Record<string, unknown> {
  const { store } = notifications;
  const told = { type: 'ONE_TIME_CHARGE', bundleId, purchase: aPurchase({ transactionId }) };
  const [, payload] = signNotification(told, store.chain).signedPayload.split('.');
  return JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>;
}

describe('422 at signedPayload', () => {
  afterEach(async () => expect(await known(notifications)).toEqual([]));

  test.each<[string, () => Parameters<typeof tell>[1]]>([
    ['signed under another root', () => ({ type: 'ONE_TIME_CHARGE', purchase: purchase(), chain: forged })],
    ['for another bundle', () => ({ type: 'TEST', bundleId: 'com.example.other' })],
    ['from a developer tool', () => ({ type: 'TEST', payload: dataOf({ environment: 'Xcode' }) })],
    ['from no environment', () => ({ type: 'TEST', payload: dataOf({ environment: 'LocalTesting' }) })],
    ['without content', () => ({ type: 'TEST', payload: { data: undefined } })],
    ['without a UUID', () => ({ type: 'TEST', payload: { notificationUUID: undefined } })],
    ['with another id in its place', () => ({ type: 'TEST', payload: { notificationUUID: '1' } })],
    [
      'whose transaction is for another bundle',
      () => ({ type: 'REFUND', purchase: { ...purchase(), bundleId: 'a.b' } }),
    ],
    [
      'whose transaction is of the sandbox',
      () => ({ type: 'REFUND', purchase: { ...purchase(), environment: 'Sandbox' } }),
    ],
    [
      'whose transaction is cut off',
      () => ({ type: 'REFUND', payload: dataOf({ signedTransactionInfo: 'e30.e30.e30' }) }),
    ],
  ])('a notification %s', async (_, told) => {
    const answer = await tell(notifications, told());
    expect(answer).toMatchObject(refused);
    expect(pathsOf(answer)).toEqual(['signedPayload']);
  });

  const dataOf = (fields: Record<string, unknown>) => ({
    data: { appAppleId: fakeAppId, bundleId, environment: 'Production', ...fields },
  });

  test('a transaction forged inside a payload of the store', async () => {
    const signing = { chain: forged, environment: 'production', bundleId } as const;
    const data = dataOf({ signedTransactionInfo: signedTransaction(purchase(), signing) });
    expect(await tell(notifications, { type: 'REFUND', payload: data })).toMatchObject(refused);
  });

  test('a signed transaction, which any customer has on the device, is no notification', async () => {
    const signing = { chain: notifications.store.chain, environment: 'production', bundleId } as const;
    expect(await tellText(notifications, signedTransaction(purchase(), signing))).toMatchObject(refused);
  });

  const texts: [string, () => string][] = [
    ['nothing', () => ''],
    ['junk of 256 kB', () => 'x'.repeat(250_000)],
    ['dots', () => '.'.repeat(250_000)],
    ['three parts of junk', () => `${'x'.repeat(80_000)}.${'y'.repeat(80_000)}.${'z'.repeat(80_000)}`],
    ['alg none', () => `${encode({ alg: 'none' })}.${encode(payloadOf('a'))}.`],
    ['alg none with the chain of the store', () => unsigned({ alg: 'none', x5c: notifications.store.chain.x5c })],
    ['no signature under the chain of the store', () => unsigned({ alg: 'ES256', x5c: notifications.store.chain.x5c })],
    ['HS256 keyed with the public key', () => hs256()],
    ['another payload under a genuine signature', () => swapped()],
    ['a chain of a thousand certificates', () => chained(Array(1_000).fill(''))],
    ['a chain of one certificate', () => chained(notifications.store.chain.x5c.slice(0, 1))],
    ['a chain of long junk', () => chained(Array(3).fill('A'.repeat(60_000)))],
    ['a chain of short junk', () => chained(Array(3).fill('QUJD'))],
    ['a chain that is no list', () => chained({ length: 3 } as never)],
    ['a chain of numbers', () => chained([1, 2, 3] as never)],
    ['the root of the store behind a forged leaf', () => spliced()],
    ['a header nested 60,000 deep', () => `${deep()}.${encode({})}.x`],
    ['a payload nested 60,000 deep', () => `${encode({ alg: 'ES256', x5c: ['a', 'b', 'c'] })}.${deep()}.x`],
  ];

  test.each(texts)('%s', async (_, text) => {
    const before = process.cpuUsage();
    const answer = await tellText(notifications, text());
    expect(answer).toMatchObject(refused);
    expect(pathsOf(answer)).toEqual(['signedPayload']);
    // Processor time: that of the clock depends on the other tests.
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_500_000);
  });

  const deep = () => Buffer.from(`${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`).toString('base64url');
  const unsigned = (header: unknown) => `${encode(header)}.${encode(payloadOf('b'))}.`;
  const chained = (x5c: readonly string[]) => signedBy(forged, x5c);
  const spliced = () => signedBy(forged, [forged.x5c[0], ...notifications.store.chain.x5c.slice(1)]);

  function signedBy({ leafKey }: Chain, x5c: readonly string[]): string {
    const signed = `${encode({ alg: 'ES256', x5c })}.${encode(payloadOf('c'))}`;
    const signature = sign('sha256', Buffer.from(signed), { key: leafKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  function hs256(): string {
    const { x5c } = notifications.store.chain;
    const signed = `${encode({ alg: 'HS256', x5c })}.${encode(payloadOf('d'))}`;
    const key = `-----BEGIN CERTIFICATE-----\n${x5c[0]}\n-----END CERTIFICATE-----`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  }

  function swapped(): string {
    const genuine = signNotification({ type: 'TEST', bundleId }, notifications.store.chain).signedPayload.split('.');
    return [genuine[0], encode(payloadOf('e')), genuine[2]].join('.');
  }

  test("another application's notification, unless both have one bundle id", async () => {
    const other = await notifications.service.newApplication();
    const { signedPayload } = signNotification({ type: 'TEST', bundleId }, notifications.store.chain);
    const { prisma } = notifications.service.database;
    await prisma.application.update({ where: { id: other.id }, data: { bundleId: 'com.example.another' } });
    expect(await tellText(notifications, signedPayload, other.id)).toMatchObject(refused);
    await prisma.application.update({ where: { id: other.id }, data: { bundleId } });
    expect(await tellText(notifications, signedPayload, other.id)).toMatchObject({ status: 200 });
  });
});
