// Shared by the tests of events about entitlements: a service, a store and a worker on one clock, and what webhooks are told.
import { randomUUID } from 'node:crypto';
import { queueDueLookUps } from '../../src/purchases/queueDueLookUps.ts';
import { tellEndsByClock } from '../../src/purchases/tellEndsByClock.ts';
import { addDeliveryJobs } from '../../src/webhooks/enqueueWebhook.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { eventually } from './eventually.ts';
import { aPurchase, startTestStore } from './fakeStore.ts';
import { entitlementsOf, setCredentials, settled, startTestWorker, upload, type PurchaseTest } from './purchases.ts';
import { aMinuteLater } from './storedPurchases.ts';
import { startTestService } from './testService.ts';
import { startReceiver, storeWebhook, type Receiver } from './webhooks.ts';

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const start = new Date('2026-09-10T00:00:00Z').getTime();

/** The time so many days after the first purchases. */
export const dayOf = (days: number): Date => new Date(start + days * day);

export interface ToldEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface EventTest extends PurchaseTest {
  receiver: Receiver;
  webhook: string;
  now(): Date;
  /** Sets the clock to `dayOf`. */
  at(days: number): Date;
  /** The job of the webhook runs now, as the queue would run it at the next attempt. */
  wakeDeliveries(): Promise<void>;
  /** One more worker, and stops it. */
  startWorker(): Promise<() => Promise<void>>;
}

export async function startEventTest(): Promise<EventTest> {
  let now = new Date(start);
  const clock = () => now;
  const [service, store, receiver] = await Promise.all([
    startTestService({ now: clock }),
    startTestStore(),
    startReceiver(),
  ]);
  await setCredentials(service, store.account);
  const { webhook, secret } = await storeWebhook(service, service.application.id, receiver.url);
  await service.database.prisma.webhookDelivery.deleteMany();
  receiver.secret = secret;
  const foundation = { now: clock, post: { production: false } };
  const startWorker = () => startTestWorker({ service, store }, { foundation });
  const stopWorker = await startWorker();
  const stop = async (): Promise<void> => {
    await stopWorker();
    await receiver[Symbol.asyncDispose]();
    await store.stop();
    await service.stop();
  };
  const at = (days: number) => (now = dayOf(days));
  const wakeDeliveries = () => addDeliveryJobs(service.database.pool, [webhook]);
  return { service, store, receiver, webhook, now: clock, at, wakeDeliveries, startWorker, stop };
}

/** The events of a line, as they are sent: those of one webhook. */
export async function eventsOf({ service, webhook: webhookId }: EventTest, line: string): Promise<ToldEvent[]> {
  const rows = await service.database.prisma.webhookDelivery.findMany({
    where: { webhookId, orderKey: `entitlement:${line}` },
    orderBy: { sequence: 'asc' },
  });
  return rows.map(({ body }) => JSON.parse(body) as ToldEvent);
}

/** A subscription with periods of 30 days, of which one phone has brought the first. */
export async function subscribe(test: EventTest, fields: Partial<FakePurchase> = {}) {
  const { service, store, now } = test;
  const [line, device] = [randomUUID(), randomUUID()];
  const period = (number: number, more: Partial<FakePurchase> = {}): FakePurchase =>
    aPurchase({
      ...{ transactionId: number === 0 ? line : `${line}-${number}`, originalTransactionId: line },
      ...{ kind: 'AUTO_RENEWABLE', productId: 'com.example.test.monthly', signedAt: now() },
      ...{ purchasedAt: new Date(start + number * 30 * day), expiresAt: new Date(start + (number + 1) * 30 * day) },
      ...fields,
      ...more,
    });
  store.sell(period(0));
  await upload(service, [line], { device, externalId: 'ann' });
  await settled(service, line, ['RESOLVED']);
  const rowOf = () => service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id: line } });
  return {
    line,
    device,
    period,
    /** The store says so from now on. */
    sell: (number: number, more?: Partial<FakePurchase>) => store.sell(period(number, more)),
    /** The phone restores its purchases, and the look-up has ended. */
    async restore(): Promise<void> {
      await aMinuteLater(service, line);
      const before = (await rowOf()).lastLookedUpAt;
      await upload(service, [line], { device, externalId: 'ann' });
      await eventually(rowOf, ({ lastLookedUpAt }) => lastLookedUpAt?.getTime() !== before?.getTime());
    },
    /** The look-up at the end of the period has ended. */
    async lookUpEnd(): Promise<void> {
      expect(await queueDueLookUps(service.database.pool, now())).toBeGreaterThan(0);
      await eventually(
        () => service.database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId: line } }),
        ({ lookedUpAt }) => lookedUpAt?.getTime() === now().getTime(),
      );
    },
    events: () => eventsOf(test, line),
    types: async () => (await eventsOf(test, line)).map(({ type }) => type.replace('entitlement.', '')),
    shown: async () => (await entitlementsOf(service, device, now()))[0]!,
  };
}

export const tick = ({ service, now }: EventTest) => tellEndsByClock(service.database.pool, now);
