// Missed notifications: the store's history is read once a day and after an outage, and a killed worker loses none.
import { randomUUID } from 'node:crypto';
import { queueNotificationReads } from '../../src/purchases/readNotifications.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, setCredentials, startTestWorker, upload } from '../support/purchases.ts';
import { known, startNotificationTest, type NotificationTest, type Told } from '../support/storeNotifications.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';

let test_: NotificationTest;
let stopWorker: (() => Promise<void>) | null = null;
beforeEach(async () => {
  test_ = await startNotificationTest();
});
afterEach(async () => {
  await stopWorker?.();
  stopWorker = null;
  await test_.stop();
});

const bundleId = 'com.example.test';
const [minute, hour] = [60_000, 3_600_000];
const ago = (millis: number) => new Date(Date.now() - millis);
const work = async (settings = {}) => void (stopWorker = await startTestWorker(test_, settings));
const queue = (now = new Date()) => queueNotificationReads(test_.service.database.pool, now);
/** The store makes it, and the service never gets it. */
const missed = (told: Told = { type: 'TEST' }) => test_.store.notify({ bundleId, ...told });
const reads = () => test_.service.database.prisma.storeNotificationRead.findMany({ orderBy: { environment: 'asc' } });
const complete = (count = 2) =>
  eventually(
    reads,
    (rows) => rows.filter((row) => row.readUntil !== null && row.readingFrom === null).length === count,
  );
const pages = () => test_.store.calls.filter(({ question }) => question === 'notifications');

test('the first read begins a day back, in both environments, and stores what was missed as if it had been sent', async () => {
  const [id, device] = [randomUUID(), randomUUID()];
  await missed({ type: 'TEST', signedAt: ago(25 * hour) });
  const { uuid } = await missed({
    type: 'ONE_TIME_CHARGE',
    purchase: aPurchase({ transactionId: id }),
    signedAt: ago(23 * hour),
  });
  await missed({ type: 'TEST', environment: 'sandbox' });
  await queue();
  await work();
  await complete();
  const kept = await known(test_);
  expect(kept.map(({ environment, fetched }) => [environment, fetched]).sort()).toEqual([
    ['PRODUCTION', true],
    ['SANDBOX', true],
  ]);
  expect(kept.map((one) => one.id)).toContain(uuid);
  await upload(test_.service, [id], { device });
  expect(await entitlementsOf(test_.service, device)).toMatchObject([{ id, active: true }]);
});

test('a read is due once a day, and begins an hour before the end of the last one', async () => {
  await queue();
  await work();
  await complete();
  expect(pages()).toHaveLength(2);
  await queue();
  const [first] = await reads();
  expect(first!.dueAt.getTime()).toBeGreaterThan(Date.now() + 23 * hour);
  const { uuid } = await missed({ type: 'TEST', signedAt: ago(59 * minute) });
  await missed({ type: 'TEST', signedAt: ago(61 * minute) });
  await test_.service.database.prisma.storeNotificationRead.updateMany({ data: { dueAt: new Date() } });
  await queue();
  await eventually(
    async () => pages(),
    (calls) => calls.length === 4,
  );
  expect(
    (
      await eventually(
        () => known(test_),
        (rows) => rows.length > 0,
      )
    ).map(({ id }) => id),
  ).toEqual([uuid]);
});

test('after an outage of two minutes every history is due at once, and without one it is not', async () => {
  await queue();
  await work();
  await complete();
  await queue(new Date(Date.now() + 119_000));
  const due = (await reads()).map(({ dueAt }) => dueAt > new Date(Date.now() + 12 * hour));
  expect(due).toEqual([true, true]);
  const { uuid } = await missed();
  await queue(new Date(Date.now() + 119_000 + 121_000));
  expect(
    (
      await eventually(
        () => known(test_),
        (rows) => rows.length > 0,
      )
    ).map(({ id }) => id),
  ).toEqual([uuid]);
});

test('what arrived after the outage does not hide what was missed in it', async () => {
  await queue();
  await work();
  await complete();
  const { uuid } = await missed({ type: 'TEST', signedAt: ago(10 * minute) });
  const later = await test_.store.notify({ type: 'TEST', bundleId }, test_.url);
  expect(later.status).toBe(200);
  await queue(new Date(Date.now() + 5 * minute));
  const rows = await eventually(
    () => known(test_),
    (all) => all.length === 2,
  );
  expect(rows.map(({ id, fetched }) => [id, fetched])).toEqual([
    [later.uuid, false],
    [uuid, true],
  ]);
});

test('a long history is read in pages, and one that cannot be verified keeps nobody from the others', async () => {
  const chain = await mintChain();
  for (let number = 0; number < 45; number += 1)
    await missed(number === 7 ? { type: 'TEST', chain } : { type: 'TEST' });
  await queue();
  await work();
  await complete();
  expect(await known(test_)).toHaveLength(44);
  expect(pages()).toHaveLength(4);
});

test('a failing store is asked again, and the read goes on at its page', async () => {
  for (let number = 0; number < 25; number += 1) await missed();
  test_.store.responseNotifications({ status: 503 }, { status: 429, retryAfter: '0' });
  await queue();
  await work();
  await complete();
  expect(await known(test_)).toHaveLength(25);
});

test('refused credentials end the read until the next day, and it begins where it would have', async () => {
  const { uuid } = await missed();
  const { service, store } = test_;
  await setCredentials(service, { ...store.account, issuerId: randomUUID() });
  await queue();
  await work();
  await eventually(
    async () => pages(),
    (calls) => calls.filter(({ status }) => status === 401).length === 2,
  );
  await setCredentials(service, store.account);
  await service.database.prisma.storeNotificationRead.updateMany({ data: { dueAt: new Date() } });
  await queue();
  await complete();
  expect((await known(test_)).map(({ id }) => id)).toEqual([uuid]);
});

test('a worker that is stopped in the middle of a page loses none', async () => {
  for (let number = 0; number < 30; number += 1) await missed();
  const { service, store } = test_;
  store.responseNotifications({ hang: true }, { hang: true });
  await queue();
  await work();
  await eventually(
    async () => pages(),
    (calls) => calls.length >= 2,
  );
  await stopWorker!();
  await work();
  await complete();
  expect(await known({ service })).toHaveLength(30);
});

test('the calls keep to the limit of calls to the store', async () => {
  for (let number = 0; number < 200; number += 1) await missed();
  await queue();
  const begun = Date.now();
  await work({ callsPerSecond: 5 });
  await complete();
  expect(pages().length).toBeGreaterThanOrEqual(11);
  expect(Date.now() - begun).toBeGreaterThan(1_500);
});

test('an application without credentials is not read', async () => {
  const { service } = test_;
  await setCredentials(service, null);
  await queue();
  expect(await reads()).toEqual([]);
});
