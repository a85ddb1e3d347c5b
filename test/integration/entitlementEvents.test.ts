// Events about entitlements: told by the store, by uploads and by the clock, and delivered in order.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buildSchema, getNamedType, type GraphQLObjectType, isLeafType, isObjectType } from 'graphql';
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { lockLines } from '../../src/purchases/statementsStore.ts';
import type { SignedTransaction } from '../../src/purchases/storeClient.ts';
import { storeStatement, type StoreStatement } from '../../src/purchases/storeStatement.ts';
import { retellProducts } from '../../src/purchases/tellEndsByClock.ts';
import {
  day,
  dayOf,
  eventsOf,
  type EventTest,
  hour,
  minute,
  startEventTest,
  subscribe,
  tick,
} from '../support/entitlementEvents.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { setCredentials, settled, upload } from '../support/purchases.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

// Events about entitlements: what statements of the store and uploads tell webhooks, in their own transaction.
describe('entitlementEvents', () => {
  let events: EventTest;
  beforeAll(async () => {
    events = await startEventTest();
  });
  afterAll(() => events.stop());
  beforeEach(() => events.at(0));

  const admin = async () =>
    newUser(events.service, await organizationOf(events.service, events.service.application.id));

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
});

// Events about entitlements that the clock brings, or an edit of a product's duration: each end is told once, and no end that is none.
describe('entitlementEvents: clock', () => {
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
});

// Events about entitlements up to the receiver: two workers deliver each at least once, and those of one entitlement in order.
describe('entitlementEvents: deliveries', () => {
  let events: EventTest;
  let stopSecond: () => Promise<void>;
  beforeAll(async () => {
    events = await startEventTest();
    stopSecond = await events.startWorker();
  });
  afterAll(async () => {
    await stopSecond();
    await events.stop();
  });

  const deliveries = (line: string) => events.receiver.received.filter(({ body }) => body.data['id'] === line);
  /** An event that was delivered twice counts once, as it does for a receiver that knows its id. */
  const arrived = (line: string, from = 0) =>
    [
      ...new Map(
        deliveries(line)
          .slice(from)
          .map(({ id, body }) => [id, body.type]),
      ).values(),
    ].map((type) => type.replace('entitlement.', ''));
  /** Without the first `from` deliveries. */
  const arrives = (line: string, types: string[], from = 0) =>
    eventually(
      async () => arrived(line, from),
      (got) => got.length >= types.length,
    ).then((got) => expect(got).toEqual(types));

  test('the lives of ten subscriptions arrive signed and in order, with the ends told by both workers at once', async () => {
    events.at(0);
    const lines: Awaited<ReturnType<typeof subscribe>>[] = [];
    while (lines.length < 10) lines.push(await subscribe(events, { autoRenew: false }));
    for (const { line } of lines) await arrives(line, ['activated']);
    events.at(20);
    for (const { sell, restore } of lines) {
      sell(1);
      await restore();
    }
    // The renewal begins, which was booked ten days before.
    events.at(30);
    await Promise.all([tick(events), tick(events)]);
    for (const { line } of lines) await arrives(line, ['activated', 'renewed']);
    events.at(60);
    await Promise.all([tick(events), tick(events)]);
    for (const { line } of lines) await arrives(line, ['activated', 'renewed', 'expired']);
    events.at(61);
    for (const { sell, restore } of lines) {
      sell(1, { revokedAt: events.now() });
      await restore();
    }
    for (const { line } of lines) await arrives(line, ['activated', 'renewed', 'expired', 'revoked']);
    const { received: all } = events.receiver;
    expect(all.every(({ verified }) => verified)).toBe(true);
    expect(new Set(all.map(({ id }) => id)).size).toBe(40);
  });

  test('a receiver that fails gets the events of an entitlement later, and in their order', async () => {
    events.at(70);
    events.receiver.respond = (response) => void response.writeHead(503).end();
    const { line, restore, sell } = await subscribe(events, { purchasedAt: events.now(), expiresAt: dayOf(100) });
    await arrives(line, ['activated']);
    events.at(71);
    sell(0, { revokedAt: events.now() });
    await restore();
    const { length: before } = deliveries(line);
    expect(arrived(line)).toEqual(['activated']);
    events.receiver.respond = (response) => void response.end();
    events.at(101);
    await tick(events);
    await events.wakeDeliveries();
    await arrives(line, ['activated', 'revoked'], before);
  });
});
