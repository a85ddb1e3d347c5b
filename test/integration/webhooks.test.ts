// Webhooks: their queries and mutations, and how events are delivered to them.
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { addDeliveryJobs, enqueueWebhooks, mostWaiting } from '../../src/webhooks/enqueueWebhook.ts';
import { queueForgottenDeliveries } from '../../src/webhooks/webhookDeliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startMailWorker } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { deliver, enqueue, newWebhook, type Receiver, startReceiver, storeWebhook } from '../support/webhooks.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query webhooks: the webhooks of one application, oldest first.
describe('webhooks', () => {
  test('lists the webhooks of the application, oldest first', async () => {
    const service = await shared.withNewApplication();
    const { id } = service.application;
    const admin = await newUser(service, await organizationOf(service, id), 'admin');
    const one = await newWebhook(admin, id);
    const other = await newWebhook(admin, id, { enabled: false });
    const { data } = await admin.ask(`{ webhooks(applicationId: "${id}") { id enabled } }`);
    expect(data).toEqual({
      webhooks: [
        { id: one.id, enabled: true },
        { id: other.id, enabled: false },
      ],
    });
    const foreign = await service.newApplication();
    expect((await admin.ask(`{ webhooks(applicationId: "${foreign.id}") { id } }`)).codes).toEqual(['NOT_FOUND']);
  });
});

// mutation webhookEdit: the secret is shown once and stored encrypted, and a URL that is not public is refused.
describe('webhookEdit', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await startTestService({ change: (deps) => ({ ...deps, webhookRules: { production: true } }) });
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });
  afterAll(() => service.stop());

  const fields = 'id applicationId url events enabled gone createdBy updatedBy';
  const edit = `mutation W($input: WebhookEditInput!) { webhookEdit(input: $input) { webhook { ${fields} } secret } }`;
  const url = 'https://shop.example.com/hooks';
  const ask = (input: object) => admin.ask(edit, { input });
  const stored = (id: string) => service.database.prisma.webhook.findUniqueOrThrow({ where: { id } });

  test('a new webhook shows its secret once, and its row holds it encrypted', async () => {
    const { id: applicationId } = service.application;
    const { data } = await ask({ applicationId, url });
    const { webhook, secret } = data!['webhookEdit'] as { webhook: { id: string }; secret: string };
    const by = { createdBy: admin.email, updatedBy: admin.email };
    expect(webhook).toEqual({ id: webhook.id, applicationId, url, events: null, enabled: true, gone: false, ...by });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const sealed = (await stored(webhook.id)).secretEncrypted;
    expect(Buffer.from(sealed).toString('latin1')).not.toContain(secret);
    const encryption = createEncryption(Buffer.alloc(32, 1));
    expect(encryption.decrypt(sealed, webhook.id)).toBe(secret);
    // Bound to its row.
    expect(() => encryption.decrypt(sealed, applicationId)).toThrow();
    const listed = await admin.ask(`{ webhooks(applicationId: "${applicationId}") { ${fields} } }`);
    expect(listed.data!['webhooks']).toEqual([webhook]);
  });

  test('an edit changes what it names, and shows no secret', async () => {
    const { id } = await newWebhook(admin, service.application.id);
    const before = await stored(id);
    const events = ['CAMPAIGN_STATE_CHANGED', 'ENTITLEMENT_EXPIRED'];
    const { data } = await ask({ id, events });
    expect(data).toMatchObject({ webhookEdit: { webhook: { id, url, events, enabled: true }, secret: null } });
    expect((await stored(id)).secretEncrypted).toEqual(before.secretEncrypted);
    expect((await ask({ id, events: null })).data).toMatchObject({ webhookEdit: { webhook: { events: null } } });
  });

  test('rotateSecret gives another secret', async () => {
    const { id, secret } = await newWebhook(admin, service.application.id);
    const { data } = await ask({ id, rotateSecret: true });
    const rotated = (data!['webhookEdit'] as { secret: string }).secret;
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
  });

  test('a disabled webhook parks what waits', async () => {
    const { webhook: id, delivery } = await storeWebhook(service, service.application.id);
    await ask({ id, enabled: false });
    const row = await service.database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id: delivery } });
    expect(row).toMatchObject({ state: 'PARKED', lastError: 'disabled' });
  });

  test.each([
    [{ url: 'http://shop.example.com/' }, 'input.url'],
    [{ url: 'https://127.0.0.1/' }, 'input.url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'input.url'],
    [{ url: `https://shop.example.com/${'a'.repeat(2_048)}` }, 'input.url'],
    [{ url: null }, 'input.url'],
    [{ events: [] }, 'input.events'],
    [{ enabled: null }, 'input.enabled'],
    [{ applicationId: null }, 'input.applicationId'],
  ])('%j is refused', async (wrong, path) => {
    const { errors } = await ask({ applicationId: service.application.id, url, ...wrong });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields: [{ path }] } }]);
  });

  test('another application is refused, and so is the twenty-first webhook', async () => {
    const { id } = await newWebhook(admin, service.application.id);
    const { id: applicationId } = await service.newApplication();
    expect((await ask({ id, applicationId })).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    const have = await service.database.prisma.webhook.count({ where: { applicationId: service.application.id } });
    for (let more = have; more < 20; more += 1) await newWebhook(admin, service.application.id);
    const { codes } = await ask({ applicationId: service.application.id, url });
    expect(codes).toEqual(['BAD_USER_INPUT']);
  });
});

// mutation webhookDelete: the webhook goes with its deliveries, and its job then has nothing to do.
describe('webhookDelete', () => {
  test('deletes the webhook with what waits', async () => {
    await using service = await startTestService();
    await using receiver = await startReceiver();
    const { id: applicationId } = service.application;
    const admin = await newUser(service, await organizationOf(service, applicationId), 'admin');
    const { webhook } = await storeWebhook(service, applicationId, receiver.url);
    const remove = () => admin.ask('mutation D($id: UUID!) { webhookDelete(id: $id) }', { id: webhook });
    expect((await remove()).data).toEqual({ webhookDelete: true });
    expect((await remove()).codes).toEqual(['NOT_FOUND']);
    await deliver(service, webhook);
    expect(receiver.received).toEqual([]);
    expect(await service.database.prisma.webhookDelivery.count()).toBe(0);
  });
});

// query webhookDeliveries: pages by cursor, newest first.
describe('webhookDeliveries', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });

  test('pages by cursor hold every delivery once, newest first', async () => {
    const { id: applicationId } = service.application;
    const { webhook } = await storeWebhook(service, applicationId);
    for (let n = 1; n <= 4; n += 1) await enqueue(service, { applicationId, data: { n } });
    const query = `query D($webhook: UUID!, $after: String, $state: WebhookDeliveryState) {
    webhookDeliveries(webhookId: $webhook, limit: 2, after: $after, state: $state) { nodes { body } endCursor hasMore }
  }`;
    const found: unknown[] = [];
    let after: string | null = null;
    do {
      const { data } = await admin.ask(query, { webhook, after });
      type Page = { nodes: { body: { data: { n?: number } } }[]; endCursor: string; hasMore: boolean };
      const page: Page = data!['webhookDeliveries'] as Page;
      found.push(...page.nodes.map(({ body }) => body.data.n));
      after = page.hasMore ? page.endCursor : null;
    } while (after !== null);
    expect(found).toEqual([4, 3, 2, 1, undefined]);
    const { data } = await admin.ask(query, { webhook, state: 'PARKED' });
    expect(data).toEqual({ webhookDeliveries: { nodes: [], endCursor: null, hasMore: false } });
    expect((await admin.ask(query, { webhook, after: 'x' })).codes).toEqual(['BAD_USER_INPUT']);
  });
});

// mutation webhookRedeliver: a delivery goes again at once, out of order.
describe('webhookRedeliver', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });

  const redeliver = (id: string) =>
    admin.ask('mutation R($id: UUID!) { webhookRedeliver(deliveryId: $id) { id state attempts nextAttemptAt } }', {
      id,
    });

  test('a delivery goes again with its id, past a failing one of its object', async () => {
    await using receiver = await startReceiver();
    const { webhook, delivery } = await storeWebhook(service, service.application.id, receiver.url);
    await deliver(service, webhook);
    receiver.respond = (response) => void response.writeHead(500).end();
    await enqueue(service, { applicationId: service.application.id });
    await deliver(service, webhook);
    receiver.respond = (response) => void response.end();
    const { data } = await redeliver(delivery);
    expect(data).toMatchObject({ webhookRedeliver: { id: delivery, state: 'PENDING', attempts: 0 } });
    await deliver(service, webhook);
    expect(receiver.received.map(({ id }) => id === delivery)).toEqual([true, false, true]);
  });

  test('a disabled webhook is a conflict', async () => {
    const { webhook, delivery } = await storeWebhook(service, service.application.id);
    await admin.ask(`mutation { webhookEdit(input: { id: "${webhook}", enabled: false }) { secret } }`);
    const { errors } = await redeliver(delivery);
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'disabled' } }]);
  });
});

// The job deliverWebhooks: signed, at least once, in order for one object, and patient with a receiver that fails.
describe('deliverWebhooks', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  interface Stage {
    receiver: Receiver;
    webhook: string;
    applicationId: string;
    /** Its first delivery has the key `a`. */
    first: string;
  }

  async function newStage(url?: string): Promise<Stage & AsyncDisposable> {
    const receiver = await startReceiver();
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery, secret } = await storeWebhook(service, applicationId, url ?? receiver.url);
    receiver.secret = secret;
    return {
      receiver,
      webhook,
      applicationId,
      first: delivery,
      [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
    };
  }

  const row = (id: string) => service.database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  const states = async (webhookId: string) => {
    const rows = await service.database.prisma.webhookDelivery.findMany({
      where: { webhookId },
      orderBy: { sequence: 'asc' },
    });
    return rows.map(({ state, lastError }) => [state, lastError]);
  };
  const numbers = ({ received }: Receiver) => received.map(({ body }) => body.data['n']);
  const hour = 3_600_000;

  test('an event is signed by the standard, and sent once', async () => {
    await using stage = await newStage();
    await deliver(service, stage.webhook);
    await deliver(service, stage.webhook);
    const body = { type: 'campaign.state_changed', timestamp: expect.stringMatching(/Z$/) as string, data: {} };
    expect(stage.receiver.received).toEqual([{ id: stage.first, verified: true, body }]);
    expect(await states(stage.webhook)).toEqual([['DELIVERED', null]]);
  });

  test('events of one object come in order, and a failing one holds the later ones of its object alone', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId } = stage;
    await deliver(service, webhook);
    receiver.respond = (response) =>
      void response.writeHead(receiver.received.at(-1)!.body.data['n'] === 1 ? 503 : 200).end();
    for (const n of [1, 2, 3]) await enqueue(service, { applicationId, orderKey: 'b', data: { n } });
    await enqueue(service, { applicationId, orderKey: 'c', data: { n: 4 } });
    await deliver(service, webhook);
    expect(numbers(receiver).slice(1).sort()).toEqual([1, 4]);
    receiver.respond = (response) => void response.end();
    await deliver(service, webhook, { now: () => new Date(Date.now() + hour) });
    expect(numbers(receiver).slice(3)).toEqual([1, 2, 3]);
  });

  test('a receiver that is down for a day gets everything in order when it is back', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId } = stage;
    const begun = Date.now();
    let clock = begun;
    const now = () => new Date(clock);
    receiver.respond = (response) => void response.socket!.destroy();
    for (const n of [1, 2]) await enqueue(service, { applicationId, data: { n } });
    for (; clock < begun + 24 * hour; clock += 10 * 60_000) await deliver(service, webhook, { now });
    const attempts = receiver.received.length;
    expect(attempts).toBeGreaterThan(10);
    expect(attempts).toBeLessThan(30);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([stage.first]));
    receiver.respond = (response) => void response.end();
    clock += 5 * hour;
    await deliver(service, webhook, { now });
    expect(numbers(receiver).slice(attempts)).toEqual([undefined, 1, 2]);
  });

  test('after three days a delivery is parked, and the next one of its object gets its own three days', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId, first } = stage;
    receiver.respond = (response) => void response.writeHead(500).end();
    await enqueue(service, { applicationId });
    const ended: string[] = [];
    let clock = Date.now();
    const deps = { now: () => new Date(clock), deliveryEnded: (outcome: string) => void ended.push(outcome) };
    for (const end = clock + 72 * hour; clock <= end; clock += hour) await deliver(service, webhook, deps);
    expect(await row(first)).toMatchObject({ state: 'PARKED', lastStatus: 500, lastError: 'status' });
    expect((await states(webhook))[1]).toEqual(['PENDING', 'status']);
    expect(ended.filter((outcome) => outcome === 'parked')).toHaveLength(1);
  });

  test('a 410 disables the webhook, parks what waits, and no later event is written', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId } = stage;
    receiver.respond = (response) => void response.writeHead(410).end();
    await enqueue(service, { applicationId });
    await deliver(service, webhook);
    expect(await states(webhook)).toEqual([
      ['PARKED', 'gone'],
      ['PARKED', 'gone'],
    ]);
    expect(receiver.received).toHaveLength(1);
    expect(await service.database.prisma.webhook.findUniqueOrThrow({ where: { id: webhook } })).toMatchObject({
      enabled: false,
      gone: true,
    });
    await enqueue(service, { applicationId });
    expect(await states(webhook)).toHaveLength(2);
  });

  test('a redirect is a failure, and nobody follows it', async () => {
    await using stage = await newStage();
    await using other = await startReceiver();
    stage.receiver.respond = (response) => void response.writeHead(302, { location: other.url }).end();
    await deliver(service, stage.webhook);
    expect(await row(stage.first)).toMatchObject({ state: 'PENDING', lastStatus: 302, lastError: 'redirect' });
    expect(other.received).toEqual([]);
  });

  test('a slow receiver is a timeout', async () => {
    await using stage = await newStage();
    stage.receiver.respond = () => undefined;
    await deliver(service, stage.webhook, { post: { timeLimitMillis: 100 } });
    expect(await row(stage.first)).toMatchObject({ state: 'PENDING', lastStatus: null, lastError: 'timeout' });
  });

  test('a response whose body never ends is a timeout too', async () => {
    await using stage = await newStage();
    stage.receiver.respond = (response) => void response.writeHead(200).write('a');
    await deliver(service, stage.webhook, { post: { timeLimitMillis: 100 } });
    expect(await row(stage.first)).toMatchObject({ state: 'PENDING', lastError: 'timeout' });
  });

  test('a response that is cut is a failure', async () => {
    await using stage = await newStage();
    stage.receiver.respond = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('a');
      setTimeout(() => response.socket!.destroy(), 20);
    };
    await deliver(service, stage.webhook);
    expect(await row(stage.first)).toMatchObject({ state: 'PENDING', lastError: 'connection' });
  });

  test.each([
    // The limit ends the one attempt, and is for a hang in the other.
    [65_536, ['PENDING', 'timeout'], 1_500],
    [65_537, ['DELIVERED', null], 60_000],
  ])(
    'a response without an end is read to 64 KiB, and then counts: %d bytes',
    async (bytes, state, timeLimitMillis) => {
      await using stage = await newStage();
      stage.receiver.respond = (response) => void response.writeHead(200).write(Buffer.alloc(bytes));
      await deliver(service, stage.webhook, { post: { timeLimitMillis } });
      expect(await states(stage.webhook)).toEqual([state]);
    },
  );

  test.each([
    ['a private address', [{ address: '10.0.0.1', family: 4 }]],
    ['the address of cloud metadata', [{ address: '169.254.169.254', family: 4 }]],
    ['an IPv4 address inside an IPv6 one', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'a public and a private address',
      [
        { address: '8.8.8.8', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ],
    ['nothing', []],
  ])('a name that resolves to %s is refused', async (_, found) => {
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery } = await storeWebhook(service, applicationId, 'http://shop.example.com/hooks');
    await deliver(service, webhook, { post: { resolve: async () => found } });
    expect(await row(delivery)).toMatchObject({ state: 'PENDING', lastStatus: null, lastError: 'address' });
  });

  test('the socket connects to the address that was checked: a name is resolved once', async () => {
    await using receiver = await startReceiver();
    const { id: applicationId } = await service.newApplication();
    const url = receiver.url.replace('127.0.0.1', 'shop.example.com');
    const { webhook } = await storeWebhook(service, applicationId, url);
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    await deliver(service, webhook, { post: { resolve } });
    expect(asked).toEqual(['shop.example.com']);
    expect(receiver.received).toHaveLength(1);
  });

  test.each(['http://shop.example.com/', 'https://127.0.0.1/'])('in production %s is refused', async (url) => {
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery } = await storeWebhook(service, applicationId, url);
    await deliver(service, webhook, { post: { production: true } });
    expect(await row(delivery)).toMatchObject({ state: 'PENDING', lastError: 'address' });
  });

  test('a delivery whose worker was killed is sent again after its lease, and before the later ones', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId } = stage;
    await enqueue(service, { applicationId, data: { n: 1 } });
    const kill = new AbortController();
    receiver.respond = () => kill.abort(new Error('killed'));
    await expect(deliver(service, webhook, { signal: kill.signal })).rejects.toThrow('killed');
    receiver.respond = (response) => void response.end();
    await deliver(service, webhook);
    expect(receiver.received).toHaveLength(1);
    await deliver(service, webhook, { now: () => new Date(Date.now() + 31_000) });
    expect(numbers(receiver)).toEqual([undefined, undefined, 1]);
  });

  test('two jobs for one webhook send each event once', async () => {
    await using stage = await newStage();
    const { receiver, webhook, applicationId } = stage;
    for (let n = 1; n <= 20; n += 1) await enqueue(service, { applicationId, orderKey: randomUUID(), data: { n } });
    // A job works for a second, and another one goes on.
    while ((await states(webhook)).some(([state]) => state === 'PENDING')) {
      await Promise.all([deliver(service, webhook), deliver(service, webhook)]);
    }
    expect(receiver.received).toHaveLength(21);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(21);
  });
});

// The job deliverWebhooks puts its next attempt into the queue, and puts off no event that is written meanwhile.
describe('deliverWebhooks: next attempt', () => {
  test('an event that is written while the job looks for its next attempt does not wait for that attempt', async () => {
    await using service = await startTestService();
    await using receiver = await startReceiver();
    const { id: applicationId } = service.application;
    const { webhook } = await storeWebhook(service, applicationId, receiver.url);
    receiver.respond = (response) => void response.writeHead(503).end();
    const { pool: own } = service.database;
    let looks = 0;
    const query = async (statement: { text: string }) => {
      const found = await own.query(statement);
      if (!statement.text.includes('findNextAttempt') || (looks += 1) > 1) return found;
      await enqueue(service, { applicationId, orderKey: 'b' });
      return found;
    };
    await deliver(service, webhook, { pool: Object.assign(Object.create(own) as typeof own, { query }) });
    const { rows } = await own.query('SELECT run_at <= now() AS is_due FROM graphile_worker.jobs WHERE key = $1', [
      `deliverWebhooks:${webhook}`,
    ]);
    expect(rows).toEqual([{ is_due: true }]);
  });
});

// What bounds the deliveries of a webhook: how many wait, what becomes of those whose secret cannot be opened, and of jobs that were given up.
describe('deliverWebhooks: bounds', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const row = (id: string) => service.database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  const countOf = (webhookId: string) => service.database.prisma.webhookDelivery.count({ where: { webhookId } });

  /** Deliveries that wait until tomorrow, each of an object of its own. */
  async function fillUp(webhook: string, count: number): Promise<void> {
    await service.database.pool.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, order_key, type, body, created_at, next_attempt_at)
    SELECT gen_random_uuid(), $1, 'filled ' || n, 'CAMPAIGN_STATE_CHANGED', '{}', now(), now() + interval '1 day'
    FROM generate_series(1, $2::integer) AS n`,
      [webhook, count],
    );
  }

  /** As after the room of the last count is used up, and 10 s later. */
  async function forgetRoom(): Promise<void> {
    await service.database.pool.query(`UPDATE webhook_backlogs SET room = 0, looked_at = now() - interval '1 minute'`);
  }

  test('a webhook that is full loses the events that come, which is seen at it, and gets events again when it has room', async () => {
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery } = await storeWebhook(service, applicationId);
    const other = await storeWebhook(service, applicationId);
    const admin = await newUser(service, await organizationOf(service, applicationId), 'admin');
    const seen = async () => {
      const query = `{ webhooks(applicationId: "${applicationId}") { id droppedEvents lastDroppedAt } }`;
      const { data, errors } = await admin.ask(query);
      expect(errors).toEqual([]);
      return (data!['webhooks'] as { id: string }[]).find(({ id }) => id === webhook);
    };
    expect(await seen()).toMatchObject({ droppedEvents: 0, lastDroppedAt: null });
    // The second `storeWebhook` has written an event for the first webhook too.
    await fillUp(webhook, mostWaiting - 1_001);
    await forgetRoom();
    for (const orderKey of ['a', 'b', 'c']) await enqueue(service, { applicationId, orderKey });
    expect([await countOf(webhook), await countOf(other.webhook)]).toEqual([mostWaiting - 999, 4]);
    expect(await seen()).toEqual({ id: webhook, droppedEvents: 3, lastDroppedAt: expect.any(String) as string });

    const counted: number[] = [];
    const deps = { eventsDropped: (count: number) => void counted.push(count), post: { timeLimitMillis: 1 } };
    for (let time = 0; time < 2; time += 1) await deliver(service, webhook, deps);
    expect(counted).toEqual([3]);

    const redeliver = (id: string) => admin.ask(`mutation { webhookRedeliver(deliveryId: "${id}") { state } }`);
    // Of a delivery that waits anyway.
    expect((await redeliver(delivery)).errors).toEqual([]);
    await service.database.prisma.webhookDelivery.update({ where: { id: delivery }, data: { state: 'PARKED' } });
    expect((await redeliver(delivery)).errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'full' } }]);

    await service.database.pool.query(
      `UPDATE webhook_deliveries SET state = 'DELIVERED', ended_at = now()
    WHERE webhook_id = $1 AND order_key LIKE 'filled %'`,
      [webhook],
    );
    await forgetRoom();
    const before = await countOf(webhook);
    await enqueue(service, { applicationId, orderKey: 'd' });
    expect(await countOf(webhook)).toBe(before + 1);
    expect((await redeliver(delivery)).errors).toEqual([]);
    expect(await seen()).toMatchObject({ droppedEvents: 3 });
  });

  test('one write that brings more than the room is cut, and the room of a count is used up without another', async () => {
    const { id: applicationId } = await service.newApplication();
    const { webhook } = await storeWebhook(service, applicationId);
    await fillUp(webhook, mostWaiting - 1_101);
    await forgetRoom();
    const write = async (count: number): Promise<number> => {
      const messages = Array.from({ length: count }, (_, n) => ({ orderKey: `${n}`, ...given }));
      const dataOf = async (wanted: object[]) => wanted.map(() => ({}));
      return inTransaction(service.database.pool, (transaction) =>
        enqueueWebhooks(transaction, { applicationId, messages, dataOf }),
      );
    };
    const given = { type: 'CAMPAIGN_STATE_CHANGED', at: new Date() } as const;
    // 18,900 wait.
    expect([await write(300), await write(900), await write(10)]).toEqual([300, 800, 0]);
    expect(await countOf(webhook)).toBe(mostWaiting);
    const { dropped } = await service.database.prisma.webhookBacklog.findUniqueOrThrow({
      where: { webhookId: webhook },
    });
    expect(dropped).toBe(110n);
  });

  const otherKey = createEncryption(Buffer.alloc(32, 9));

  test('a delivery whose secret this process cannot open is no failure of the job, and another process sends it', async () => {
    await using receiver = await startReceiver();
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery } = await storeWebhook(service, applicationId, {
      url: receiver.url,
      encryption: otherKey,
    });
    await deliver(service, webhook);
    expect(await row(delivery)).toMatchObject({ state: 'PENDING', attempts: 1, lastStatus: null, lastError: 'secret' });
    expect(receiver.received).toEqual([]);
    await deliver(service, webhook, { encryption: otherKey, now: () => new Date(Date.now() + 60_000) });
    expect(await row(delivery)).toMatchObject({ state: 'DELIVERED', lastError: null });
  });

  const deadJobs = async () => {
    const { rows } = await service.database.pool.query<{ key: string | null }>(
      `SELECT key FROM graphile_worker.jobs
    WHERE task_identifier = 'deliverWebhooks' AND attempts >= max_attempts ORDER BY id`,
    );
    return rows;
  };

  test('events that come while an old process runs leave no dead jobs', async () => {
    const { id: applicationId } = await service.newApplication();
    const { webhook } = await storeWebhook(service, applicationId, { encryption: otherKey });
    const stopWorker = await startMailWorker(service, {});
    try {
      for (let event = 0; event < 20; event += 1) await enqueue(service, { applicationId, orderKey: `${event}` });
      await eventually(
        () => service.database.prisma.webhookDelivery.count({ where: { webhookId: webhook, lastError: 'secret' } }),
        (count) => count === 21,
      );
    } finally {
      await stopWorker();
    }
    expect(await deadJobs()).toEqual([]);
  });

  test('jobs that were given up go when a later one has replaced them, or nothing waits any more', async () => {
    const { pool } = service.database;
    const { id: applicationId } = await service.newApplication();
    const needed = await storeWebhook(service, applicationId);
    const idle = await storeWebhook(service, applicationId);
    await pool.query(`UPDATE webhook_deliveries SET state = 'PARKED', ended_at = now() WHERE webhook_id = $1`, [
      idle.webhook,
    ]);
    await pool.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour' WHERE webhook_id = $1`,
      [needed.webhook],
    );
    await addDeliveryJobs(pool, [needed.webhook, idle.webhook]);
    const keyOf = ({ webhook }: { webhook: string }) => `deliverWebhooks:${webhook}`;
    await pool.query(`UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE key = ANY($1)`, [
      [keyOf(needed), keyOf(idle)],
    ]);
    // As the queue leaves a job that fails after another has taken its key.
    await pool.query(`SELECT graphile_worker.add_job('deliverWebhooks', '{}', job_key => 'replaced')`);
    await pool.query(
      `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, key = NULL WHERE key = 'replaced'`,
    );
    expect(await deadJobs()).toHaveLength(3);
    await queueForgottenDeliveries(pool);
    expect(await deadJobs()).toEqual([]);
    const { rows } = await pool.query<{ key: string }>('SELECT key FROM graphile_worker.jobs WHERE key = ANY($1)', [
      [keyOf(needed), keyOf(idle)],
    ]);
    expect(rows).toEqual([{ key: keyOf(needed) }]);
  });
});

// The job deliverWebhooks and receivers that an attacker runs: each attempt ends.
describe('deliverWebhooks: hostile', () => {
  let service: TestService;
  let receiver: Receiver;
  beforeAll(async () => {
    service = await startTestService();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver[Symbol.asyncDispose]());
  afterAll(() => service.stop());

  const row = (id: string) => service.database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });

  test.each([
    [101, 'Connection: upgrade\r\nUpgrade: x\r\n'],
    [101, 'Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 9\r\n'],
    [200, 'Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 0\r\n'],
  ])('a receiver that wants another protocol ends the attempt: %d with %j', async (status, headers) => {
    const { id: applicationId } = await service.newApplication();
    const { webhook, delivery } = await storeWebhook(service, applicationId, receiver.url);
    receiver.respond = ({ socket }) => void socket!.write(`HTTP/1.1 ${status} X\r\n${headers}\r\n`);
    await deliver(service, webhook);
    const failed = { state: 'PENDING', lastError: 'status' };
    expect(await row(delivery)).toMatchObject({ lastStatus: status, ...(status === 101 && failed) });
  });

  test.each(['', 'HTTP/1.1 103 X\r\n\r\n', 'HTTP/1.1 100 X\r\n\r\n', 'HTTP/1.1 101 X\r\n\r\n', '\0\0\r\n'])(
    'a connection that ends after %j ends the attempt',
    async (sent) => {
      const { id: applicationId } = await service.newApplication();
      const { webhook, delivery } = await storeWebhook(service, applicationId, receiver.url);
      receiver.respond = ({ socket }) => void socket!.end(sent);
      await deliver(service, webhook);
      const { state, lastError } = await row(delivery);
      expect([state, lastError === null]).toEqual(['PENDING', false]);
    },
  );
});
