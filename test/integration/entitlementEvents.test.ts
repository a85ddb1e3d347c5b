// Events about entitlements: what statements of the store and uploads tell webhooks, in their own transaction.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buildSchema, isLeafType, getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import type { SignedTransaction } from '../../src/purchases/storeClient.ts';
import { storeStatement, type StoreStatement } from '../../src/purchases/storeStatement.ts';
import {
  day,
  dayOf,
  eventsOf,
  hour,
  startEventTest,
  subscribe,
  tick,
  type EventTest,
} from '../support/entitlementEvents.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { settled, upload } from '../support/purchases.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

let events: EventTest;
beforeAll(async () => {
  events = await startEventTest();
});
afterAll(() => events.stop());
beforeEach(() => events.at(0));

const admin = async () => newUser(events.service, await organizationOf(events.service, events.service.application.id));

test('the life of a subscription, by look-ups: what is told once is not told again', async () => {
  const { sell, restore, lookUpEnd, types, period } = await subscribe(events);
  expect(await types()).toEqual(['activated']);
  await restore();
  events.at(30);
  sell(1);
  await lookUpEnd();
  expect(await types()).toEqual(['activated', 'renewed']);
  const graceExpiresAt = new Date(events.at(60).getTime() + 6 * hour);
  sell(1, { inBillingRetry: true, graceExpiresAt });
  await lookUpEnd();
  expect(await types()).toEqual(['activated', 'renewed']);
  events.at(60.25);
  await lookUpEnd();
  expect(await types()).toEqual(['activated', 'renewed', 'expired']);
  events.at(61);
  sell(2, { purchasedAt: events.now(), expiresAt: new Date(events.now().getTime() + 30 * day) });
  await lookUpEnd();
  expect(await types()).toEqual(['activated', 'renewed', 'expired', 'activated']);
  const third = { ...period(2), purchasedAt: events.now(), expiresAt: new Date(events.now().getTime() + 30 * day) };
  events.at(62);
  sell(2, { ...third, revokedAt: events.now(), signedAt: events.now() });
  await restore();
  events.at(63);
  sell(2, { ...third, signedAt: events.now() });
  await restore();
  await tick(events);
  expect(await types()).toEqual(['activated', 'renewed', 'expired', 'activated', 'revoked', 'activated']);
});

test('an upgrade is a renewal with another product, and two periods at once are one', async () => {
  const { sell, restore, events: told } = await subscribe(events);
  events.at(10);
  sell(1, { productId: 'com.example.test.weekly', purchasedAt: events.now(), expiresAt: dayOf(17) });
  await restore();
  const [, upgraded] = await told();
  expect(upgraded).toMatchObject({ type: 'entitlement.renewed', timestamp: events.now().toISOString() });
  expect(upgraded!.data['productId']).toBe('com.example.test.weekly');
  events.at(16);
  sell(2, { purchasedAt: dayOf(17), expiresAt: dayOf(24) });
  sell(3, { purchasedAt: dayOf(24), expiresAt: dayOf(31) });
  await restore();
  const later = async () => (await told()).map(({ type, data }) => [type, data['expiresAt']]).slice(2);
  expect(await later()).toEqual([]);
  events.at(24);
  await tick(events);
  expect(await later()).toEqual([['entitlement.renewed', dayOf(31).toISOString()]]);
});

test('a webhook gets the events that it wants alone', async () => {
  const { prisma } = events.service.database;
  const where = { id: events.webhook };
  await prisma.webhook.update({ where, data: { events: ['ENTITLEMENT_REVOKED', 'CAMPAIGN_STATE_CHANGED'] } });
  const { sell, restore, types } = await subscribe(events);
  events.at(1);
  sell(0, { revokedAt: events.now() });
  await restore();
  expect(await types()).toEqual(['revoked']);
  // Prisma knows no null for a list.
  await events.service.database.pool.query('UPDATE webhooks SET events = NULL');
});

test('the data has the fields of Entitlement, with the values that the admin API gives', async () => {
  const { sell, restore, events: told, device } = await subscribe(events, { price: 9_990, currency: 'EUR' });
  events.at(30);
  sell(1, { price: 19_990, currency: 'EUR', quantity: 2 });
  await restore();
  const type = buildSchema(await readFile(projectFile('schema.graphql'), 'utf8')).getType('Entitlement');
  const query = `query D($app: UUID!, $device: String!) {
    device(applicationId: $app, id: $device) { entitlements ${selectionOf(type as GraphQLObjectType)} } }`;
  const user = await admin();
  const { data } = await user.ask(query, { app: events.service.application.id, device });
  const [shown] = (data!['device'] as { entitlements: Record<string, unknown>[] }).entitlements;
  expect((await told()).at(-1)!.data).toEqual(shown);
  expect(shown).toMatchObject({ price: '19.99', owner: { externalId: 'ann', deviceId: device }, active: true });
});

function selectionOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(({ name, type: of }) => {
    const named = getNamedType(of);
    return isLeafType(named) || !isObjectType(named) ? name : `${name} ${selectionOf(named)}`;
  });
  return `{ ${fields.join(' ')} }`;
}

describe('statements in any order of arrival', () => {
  const subscription = (id: string): SignedTransaction => ({
    ...{ ...signedPurchase(id), kind: 'AUTO_RENEWABLE', expiresAt: new Date('2026-10-10T00:00:00Z') },
  });
  /** As a notification brings it. */
  const tell = (said: Pick<StoreStatement, 'transactions' | 'renewals'>) =>
    inTransaction(events.service.database.pool, (transaction) => {
      const { id: applicationId } = events.service.application;
      const statement: StoreStatement = { applicationId, environment: 'PRODUCTION', ...said };
      return storeStatement(transaction, statement, { now: events.now() });
    });
  const state = (...transactions: SignedTransaction[]) => tell({ transactions, renewals: [] });
  const types = async (line: string) => (await eventsOf(events, line)).map(({ type }) => type);

  test('an older period after the renewal tells nothing, also after the end of the older one', async () => {
    const first = subscription(randomUUID());
    const line = first.transactionId;
    const expiresAt = new Date('2026-11-10T00:00:00Z');
    const renewal = { ...first, transactionId: `${line}-1`, purchasedAt: first.expiresAt!, expiresAt };
    events.at(31);
    await state(renewal);
    await state(first);
    await tick(events);
    expect(await types(line)).toEqual(['entitlement.activated']);
  });

  test('a refund that the store took back before it arrives tells nothing', async () => {
    const first = subscription(randomUUID());
    await state({ ...first, signedAt: new Date('2026-09-10T00:00:03Z') });
    await state({ ...first, revokedAt: events.now(), signedAt: new Date('2026-09-10T00:00:02Z') });
    expect(await types(first.transactionId)).toEqual(['entitlement.activated']);
  });

  test('a line that nobody has brought is told without an owner, and its first upload names him', async () => {
    const first = subscription(randomUUID());
    const line = first.transactionId;
    await state(first);
    await upload(events.service, [line], { device: 'phone', externalId: 'ann' });
    const told = await eventsOf(events, line);
    expect(told.map(({ type, data }) => [type, data['owner']])).toEqual([
      ['entitlement.activated', null],
      ['entitlement.transferred', { externalId: 'ann', deviceId: 'phone' }],
    ]);
  });

  test('the end of a line that only the store has told of waits for its look-up', async () => {
    const first = subscription(randomUUID());
    const { transactionId: lineId, signedAt } = first;
    const renewal = { lineId, autoRenew: true, inBillingRetry: false, graceExpiresAt: null, signedAt };
    await tell({ transactions: [first], renewals: [renewal] });
    for (const expected of [['entitlement.activated'], ['entitlement.activated', 'entitlement.expired']]) {
      events.at(30 + (expected.length * hour - 1) / day);
      await tick(events);
      expect(await types(lineId)).toEqual(expected);
    }
  });

  test('a transaction that is rolled back tells nothing', async () => {
    const first = subscription(randomUUID());
    const { pool } = events.service.database;
    await pool.query('ALTER TABLE webhook_deliveries ADD CONSTRAINT broken CHECK (false) NOT VALID');
    try {
      await expect(state(first)).rejects.toThrow('broken');
    } finally {
      await pool.query('ALTER TABLE webhook_deliveries DROP CONSTRAINT broken');
    }
    expect(
      await events.service.database.prisma.storeEntitlement.count({ where: { lineId: first.transactionId } }),
    ).toBe(0);
    await state(first);
    expect(await types(first.transactionId)).toEqual(['entitlement.activated']);
  });
});

describe('uploads', () => {
  async function policy(entitlementPolicy: string): Promise<void> {
    const id = events.service.application.id;
    const edit = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { id } }';
    const user = await admin();
    const { errors } = await user.ask(edit, { input: { id, entitlementPolicy } });
    expect(errors).toEqual([]);
  }
  /** Uploads of one purchase, `phone as person`, and the events with their owners. */
  async function sale(accountToken?: string) {
    const [id, { service, store }] = [randomUUID(), events];
    store.sell(aPurchase({ transactionId: id, ...(accountToken !== undefined && { accountToken }) }));
    const report = (device: string, externalId?: string) =>
      upload(service, [id], { device: `${device} ${id}`, ...(externalId !== undefined && { externalId }) });
    await report('a1', 'A');
    await settled(service, id, ['RESOLVED']);
    const told = async () =>
      (await eventsOf(events, id)).map(({ type, data }) => {
        const owner = data['owner'] as { externalId: string } | null;
        return `${type.replace('entitlement.', '')} ${owner?.externalId ?? 'nobody'}`;
      });
    return { report, told };
  }

  test.each([
    ['KEEP', ['activated A']],
    ['SHARE', ['activated A']],
    ['TRANSFER', ['activated A', 'transferred B', 'transferred A']],
  ])('%s: whoever joins is not told, and whoever loses it is', async (name, expected) => {
    await policy(name);
    const { report, told } = await sale();
    await report('b1', 'B');
    await report('a2', 'A');
    await report('a2', 'A');
    expect(await told()).toEqual(expected);
  });

  test('SHARE to KEEP: the next upload tells that somebody has lost it', async () => {
    await policy('SHARE');
    const { report, told } = await sale();
    await report('b1', 'B');
    await policy('KEEP');
    await report('a1', 'A');
    expect(await told()).toEqual(['activated A', 'transferred A']);
  });

  test('an account token names the owner at once, and nobody takes it', async () => {
    await policy('TRANSFER');
    const token = randomUUID();
    const { report, told } = await sale(token);
    await report('b1', token);
    await report('a1', 'A');
    expect(await told()).toEqual([`activated ${token}`]);
  });
});
