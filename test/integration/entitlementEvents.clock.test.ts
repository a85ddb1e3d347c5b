// Events about entitlements that the clock brings, or an edit of a product's duration: each end is told once, and no end that is none.
import { randomUUID } from 'node:crypto';
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { lockLines } from '../../src/purchases/statementsStore.ts';
import { retellProducts } from '../../src/purchases/tellEndsByClock.ts';
import { day, dayOf, eventsOf, hour, minute, startEventTest, subscribe, tick } from '../support/entitlementEvents.ts';
import type { EventTest } from '../support/entitlementEvents.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { setCredentials, settled, upload } from '../support/purchases.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

let events: EventTest;
beforeAll(async () => {
  events = await startEventTest();
});
afterAll(() => events.stop());
beforeEach(() => events.at(0));

const lineOf = (lineId: string) =>
  events.service.database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId } });

test('an end is told once across workers, with its time, where no look-up happens', async () => {
  const { line, types, events: told } = await subscribe(events, { autoRenew: false });
  await setCredentials(events.service, null);
  events.at(30 - 1 / day);
  await tick(events);
  expect(await types()).toEqual(['activated']);
  const end = events.at(30);
  events.at(30 + (10 * 1_000) / day);
  await Promise.all([tick(events), tick(events), tick(events)]);
  await tick(events);
  expect(await types()).toEqual(['activated', 'expired']);
  expect((await told()).at(-1)).toMatchObject({ timestamp: end.toISOString(), data: { id: line, active: false } });
  await setCredentials(events.service, events.store.account);
});

describe('while the look-up at the end is outstanding', () => {
  test('the end waits, and a renewal that it finds is told alone', async () => {
    const { sell, lookUpEnd, types } = await subscribe(events);
    sell(1);
    events.at(30 + (50 * minute) / day);
    await tick(events);
    await lookUpEnd();
    events.at(31);
    await tick(events);
    expect(await types()).toEqual(['activated', 'renewed']);
  });

  test('the end is told after an hour, and a renewal found then activates again', async () => {
    const { sell, lookUpEnd, types, events: told, shown } = await subscribe(events);
    events.at(30 + (hour - 1) / day);
    await tick(events);
    expect([await types(), (await shown()).active]).toEqual([['activated'], true]);
    const end = events.at(30 + hour / day);
    await tick(events);
    expect([await types(), (await shown()).active]).toEqual([['activated', 'expired'], false]);
    expect((await told()).at(-1)!.timestamp).toBe(end.toISOString());
    sell(1);
    await lookUpEnd();
    expect(await types()).toEqual(['activated', 'expired', 'activated']);
  });

  test('the look-up tells the end where the store has no renewal', async () => {
    const { lookUpEnd, types } = await subscribe(events);
    events.at(30 + minute / day);
    await lookUpEnd();
    await tick(events);
    expect(await types()).toEqual(['activated', 'expired']);
  });
});

test('grace ends by the clock', async () => {
  const { sell, lookUpEnd, types, events: told } = await subscribe(events);
  events.at(30);
  const graceExpiresAt = dayOf(36);
  sell(0, { inBillingRetry: true, graceExpiresAt });
  await lookUpEnd();
  events.at(35.99);
  await tick(events);
  expect(await types()).toEqual(['activated']);
  events.at(36);
  await tick(events);
  expect(await types()).toEqual(['activated', 'expired']);
  expect((await told()).at(-1)!.timestamp).toBe(graceExpiresAt.toISOString());
});

test('an end that nobody has told comes before the new owner of an upload', async () => {
  const { line, types } = await subscribe(events, { autoRenew: false });
  events.at(31);
  await edit('applicationEdit(input: $input) { id }', {
    id: events.service.application.id,
    entitlementPolicy: 'TRANSFER',
  });
  await upload(events.service, [line], { device: randomUUID(), externalId: 'bob' });
  await tick(events);
  expect(await types()).toEqual(['activated', 'expired', 'transferred']);
});

test('a line that a statement holds is left to it, and the others are told', async () => {
  const [held, free] = [await subscribe(events, { autoRenew: false }), await subscribe(events, { autoRenew: false })];
  events.at(30);
  await inTransaction(events.service.database.pool, async (transaction) => {
    await lockLines(transaction, { applicationId: events.service.application.id, lineIds: [held.line] });
    await tick(events);
    expect([await held.types(), await free.types()]).toEqual([['activated'], ['activated', 'expired']]);
  });
  await tick(events);
  expect(await held.types()).toEqual(['activated', 'expired']);
});

/** Of more than two batches, told active. Returns how many events of the type each of them has. */
async function manyLines({ kind, expiresAt }: { kind: string; expiresAt: Date | null }) {
  const { application, database } = events.service;
  const prefix = randomUUID();
  await database.pool.query(
    `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
      signed_at, auto_renew, told_active, tell_at, next_look_up_at)
     SELECT $1 || n, $2, 'many', $3::entitlement_kind, 'PRODUCTION', $5, $4, now(), false, true, $4, NULL
     FROM generate_series(1, 1203) n`,
    [prefix, application.id, kind, expiresAt, dayOf(0)],
  );
  return async (type: string) => {
    const where = { orderKey: { startsWith: `entitlement:${prefix}` }, type };
    const counted = await database.prisma.webhookDelivery.groupBy({ by: ['orderKey'], where, _count: true });
    return [counted.length, counted.every(({ _count }) => _count === 1)];
  };
}

test('more ends than a batch are all told, each once, by two workers', async () => {
  const told = await manyLines({ kind: 'AUTO_RENEWABLE', expiresAt: events.at(40) });
  await Promise.all([tick(events), tick(events)]);
  await tick(events);
  expect(await told('ENTITLEMENT_EXPIRED')).toEqual([1_203, true]);
});

test('a duration ends more lines than a batch, each told once by two workers', async () => {
  const told = await manyLines({ kind: 'NON_RENEWING', expiresAt: null });
  events.at(40);
  await edit('productEdit(input: $input) { productId }', {
    applicationId: events.service.application.id,
    productId: 'many',
    durationDays: 30,
  });
  const retell = () => retellProducts(events.service.database.pool, events.now);
  await Promise.all([retell(), retell()]);
  await retell();
  expect(await told('ENTITLEMENT_EXPIRED')).toEqual([1_203, true]);
});

test('without a webhook the end is noted, and a later webhook hears only of what comes then', async () => {
  const { prisma } = events.service.database;
  const { line, types } = await subscribe(events, { autoRenew: false });
  await prisma.webhook.updateMany({ data: { enabled: false } });
  events.at(30);
  expect(await tick(events)).toBe(1);
  await prisma.webhook.updateMany({ data: { enabled: true } });
  await tick(events);
  expect(await types()).toEqual(['activated']);
  expect(await lineOf(line)).toMatchObject({ toldActive: false, tellAt: null });
});

test('a line that a process of the release before has stored is told at the next search', async () => {
  const { line, types } = await subscribe(events);
  await events.service.database.pool.query(
    'UPDATE store_entitlements SET told_active = DEFAULT, tell_at = $1 WHERE line_id = $2',
    [events.now(), line],
  );
  await events.service.database.prisma.webhookDelivery.deleteMany();
  await tick(events);
  expect(await types()).toEqual(['activated']);
});

async function edit(mutation: string, input: Record<string, unknown>): Promise<void> {
  const user = await newUser(
    events.service,
    await organizationOf(events.service, events.service.application.id),
    'admin',
  );
  const type = mutation.startsWith('product') ? 'ProductEditInput' : 'ApplicationEditInput';
  expect((await user.ask(`mutation E($input: ${type}!) { ${mutation} }`, { input })).errors).toEqual([]);
}

describe('a product that gets a duration', () => {
  const productId = 'com.example.test.pass';
  async function pass() {
    const id = randomUUID();
    events.store.sell(aPurchase({ transactionId: id, kind: 'NON_RENEWING', productId }));
    await upload(events.service, [id], { device: randomUUID(), externalId: 'ann' });
    await settled(events.service, id, ['RESOLVED']);
    return { id, told: async () => (await eventsOf(events, id)).map(({ type, timestamp }) => [type, timestamp]) };
  }
  const last = (durationDays: number | null) =>
    edit('productEdit(input: $input) { productId }', {
      applicationId: events.service.application.id,
      productId,
      durationDays,
    });
  const retell = () => retellProducts(events.service.database.pool, events.now);

  test('ends by it, and goes on by a longer one', async () => {
    const { told, id } = await pass();
    const first = events.now().toISOString();
    await last(30);
    await Promise.all([retell(), retell()]);
    await tick(events);
    expect(await told()).toEqual([['entitlement.activated', first]]);
    events.at(30);
    await tick(events);
    const end = events.at(30).toISOString();
    expect(await told()).toEqual([
      ['entitlement.activated', first],
      ['entitlement.expired', end],
    ]);
    const later = events.at(35).toISOString();
    await last(40);
    await retell();
    expect((await told()).slice(2)).toEqual([['entitlement.activated', later]]);
    expect((await lineOf(id)).tellAt).toEqual(events.at(40));
    const shortened = events.at(36).toISOString();
    await last(20);
    await retell();
    expect((await told()).slice(3)).toEqual([['entitlement.expired', shortened]]);
    await last(null);
    await retell();
    expect((await told()).slice(4)).toEqual([['entitlement.activated', shortened]]);
    expect(await retell()).toBe(0);
  });
});

test('an application that is removed while its lines end is told nothing, and keeps no row', async () => {
  const { id: applicationId } = events.service.application;
  const { pool, prisma } = events.service.database;
  const { types } = await subscribe(events, { autoRenew: false });
  await prisma.application.update({ where: { id: applicationId }, data: { deletedAt: new Date() } });
  events.at(30);
  const removed = removeApplication(
    { applicationId },
    { pool, log: createLog('silent'), now: () => new Date() },
    new AbortController().signal,
  );
  await Promise.all([tick(events), removed]);
  await tick(events);
  expect([await types(), await prisma.storeEntitlement.count(), await prisma.webhook.count()]).toEqual([[], 0, 0]);
});
