// What strangers and hung servers may not do to the jobs of others: each kind of job has places of its own, and applications take turns.
import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { addPasswordMail } from '../../src/accounts/mails.ts';
import type { TaskFoundation } from '../../src/compose/composeTasks.ts';
import { addDeliveryJobs } from '../../src/webhooks/enqueueWebhook.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase, startTestStore, type TestStore } from '../support/fakeStore.ts';
import { mailConfig } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { encryptionKey, prove, setCredentials, settled, startTestWorker, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { enqueue, startReceiver, storeWebhook, type Receiver } from '../support/webhooks.ts';
import { isLong, slack } from '../faults/support/form.ts';

const strangers = 10;
/** Of each stranger. */
const invented = isLong ? 10_000 : 400;
/** Longer than any test waits: what succeeds has not waited for a hung one. */
const hungMillis = 600_000;

/** The service's own pauses, but for the end. */
const timing = { beatMillis: 10_000, silentMillis: 30_000, pollMillis: 2_000, restartMillis: 1_000, stopMillis: 1_000 };

let service: TestService;
let store: TestStore;
let mailServer: MailServer;
let receiver: Receiver;
let stopWorker: (() => Promise<void>) | undefined;

beforeEach(async () => {
  const hangs = (id: string) => (id.startsWith('hung') ? ({ hang: true } as const) : undefined);
  const fallback = (id: string) => hangs(id) ?? { status: 404, code: 4_040_010 };
  [service, store, mailServer, receiver] = await Promise.all([
    startTestService(),
    startTestStore({ fallback }),
    startMailServer(),
    startReceiver(),
  ]);
});
afterEach(async () => {
  await stopWorker?.();
  stopWorker = undefined;
  await receiver[Symbol.asyncDispose]();
  await mailServer.stop();
  await store.stop();
  await service.stop();
});

async function startJobs(foundation: Partial<TaskFoundation> = {}, smtpUrl = mailServer.url): Promise<void> {
  const config = {
    ...{ ...mailConfig, smtpUrl, encryptionKeys: [encryptionKey] as [Buffer] },
    ...{ storeRootCertificates: [store.rootFile], storeApiUrl: store.url, storeCallsPerSecond: 10 },
  };
  const given = { storeTimeLimitMillis: hungMillis, notKnownMillis: 60_000, ...foundation };
  const post = { production: false, timeLimitMillis: hungMillis };
  stopWorker = await startTestWorker({ service, store }, { foundation: { config, post, ...given } }, timing);
}

/** In an organization of its own, with store credentials and a proven device. */
async function newTenant(): Promise<TestService> {
  const tenant = { ...service, application: await service.newApplication() };
  await setCredentials(tenant, store.account);
  await prove(tenant, 'honest');
  return tenant;
}

const newTenants = async (): Promise<TestService[]> => {
  const tenants = [];
  for (let one = 0; one < strangers; one += 1) tenants.push(await newTenant());
  return tenants;
};

async function measured(what: string, seconds: number, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  const taken = (performance.now() - begun) / 1_000;
  process.stdout.write(`${what}: ${taken.toFixed(2)} s\n`);
  expect([what, taken < seconds * slack]).toEqual([what, true]);
}

const purchaseOf = (tenant: TestService, device = 'honest', what = 'a purchase of a proven device') =>
  measured(what, 15, async () => {
    const id = randomUUID();
    store.sell(aPurchase({ transactionId: id }));
    await upload(tenant, [id], { device });
    await settled(tenant, id, ['RESOLVED']);
  });

const eventOf = ({ application }: TestService) =>
  measured('an event', 5, async () => {
    const n = randomUUID();
    const { secret, delivery } = await storeWebhook(service, application.id, receiver.url);
    receiver.secret = secret;
    await enqueue(service, { applicationId: application.id, data: { n } });
    await eventually(
      async () => receiver.received.map(({ id, body }) => [id, body.data['n']]).flat(),
      (seen) => seen.includes(n) && seen.includes(delivery),
    );
  });

const mailOf = (email: string) =>
  measured('a mail', 5, async () => {
    await addPasswordMail(service.database.pool, { mailId: randomUUID(), purpose: 'reset', email });
    await eventually(
      async () => mailServer.mails.flatMap(({ to }) => to),
      (seen) => seen.includes(email),
    );
  });

const newEmail = async () => (await newUser(service, await newOrganization(service))).email;

const count = async (condition: string): Promise<number> => {
  const { rows } = await service.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM store_transactions WHERE ${condition}`,
  );
  return rows[0]!.count;
};

test(`${strangers * invented} invented ids in ten applications hold up no purchase of a proven device, no event and no mail`, async () => {
  const tenants = await newTenants();
  for (const tenant of tenants) {
    for (let from = 0; from < invented; from += 500) {
      const ids = Array.from({ length: Math.min(500, invented - from) }, () => randomUUID());
      await upload(tenant, ids, { device: `invented ${from}` });
    }
  }
  expect(await count("state = 'PENDING'")).toBe(strangers * invented);
  const [email, other] = [await newEmail(), await newTenant()];
  await startJobs();
  await eventually(
    async () => new Set(store.calls.map(({ id }) => id)).size,
    (size) => size > 2 * strangers,
  );
  await purchaseOf(other);
  await purchaseOf(tenants[0]!);
  await eventOf(tenants[1]!);
  await mailOf(email);
  await purchaseOf(other, 'a new device', 'a purchase of a new device of an application without strangers');
  expect(await count("state = 'PENDING' AND last_looked_up_at IS NULL")).toBeGreaterThan(strangers * 10);
});

test('ten stores that hang hold up no look-up of another application, in front or behind', async () => {
  const tenants = await newTenants();
  const other = await newTenant();
  await startJobs();
  for (const tenant of tenants) {
    const ids = () => Array.from({ length: 8 }, () => `hung ${randomUUID()}`);
    await upload(tenant, ids(), { device: 'honest' });
    await upload(tenant, ids(), { device: 'a stranger' });
  }
  // In both lines of each application. On a busy machine the first lease is over before the last look-up begins.
  const hanging = async () => {
    const { rows } = await service.database.pool.query(
      `SELECT DISTINCT application_id, behind FROM store_transactions WHERE looking_until IS NOT NULL AND id LIKE 'hung%'`,
    );
    return rows.length;
  };
  await eventually(hanging, (lines) => lines === 2 * strangers);
  await purchaseOf(other);
  await purchaseOf(other, 'a new device', 'a purchase of a new device');
  await eventOf(tenants[0]!);
  await mailOf(await newEmail());
  expect(await count("id LIKE 'hung%' AND last_looked_up_at IS NOT NULL")).toBe(0);
});

test('ten receivers that hang hold up no event of another application, of their own organizations or of others', async () => {
  const tenants = await newTenants();
  const other = await newTenant();
  await using hung = await startReceiver();
  hung.respond = () => undefined;
  for (const { application } of tenants) await storeWebhook(service, application.id, hung.url);
  await startJobs();
  for (const { application } of tenants) await enqueue(service, { applicationId: application.id });
  await eventually(
    async () => hung.received.length,
    (length) => length === strangers,
  );
  await eventOf(other);
  const { projectId } = await service.database.prisma.application.findUniqueOrThrow({
    where: { id: tenants[0]!.application.id },
  });
  const sibling = await service.database.prisma.application.create({
    data: { projectId, name: 'A sibling', bundleId: 'com.example.sibling', platform: 'iOS' },
  });
  await eventOf({ ...service, application: { ...service.application, id: sibling.id } });
  await purchaseOf(other);
  expect(hung.received).toHaveLength(strangers);
});

test('a mail server that hangs holds up neither look-ups nor events', async () => {
  const other = await newTenant();
  const [silent, sockets] = [createServer(), new Set<Socket>()];
  silent.on('connection', (socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const smtpTimeLimits = { connectMillis: hungMillis, silenceMillis: hungMillis, mailMillis: hungMillis };
    await startJobs({ smtpTimeLimits }, `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    for (let mail = 0; mail < strangers; mail += 1) {
      const email = await newEmail();
      await addPasswordMail(service.database.pool, { mailId: randomUUID(), purpose: 'reset', email });
    }
    await eventually(
      async () => sockets.size,
      (size) => size === 4,
    );
    await purchaseOf(other);
    await eventOf(other);
  } finally {
    await closeAll(silent, sockets);
  }
});

async function closeAll(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

test('due deliveries of one organization that fail at once hold up no first attempt of another one', async () => {
  const [flooding, other] = [await newTenant(), await newTenant()];
  await using failing = await startReceiver();
  failing.respond = (response) => void response.writeHead(500).end();
  const [webhooks, each] = [20, isLong ? 1_450 : 150];
  const stored = [];
  for (let n = 0; n < webhooks; n += 1) {
    stored.push(await storeWebhook(service, flooding.application.id, failing.url));
  }
  const ids = stored.map(({ webhook }) => webhook);
  await service.database.pool.query('DELETE FROM webhook_deliveries');
  await service.database.pool.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, order_key, type, body, created_at, next_attempt_at)
    SELECT gen_random_uuid(), w, 'key ' || n, 'CAMPAIGN_STATE_CHANGED', '{}', now(), now()
    FROM unnest($1::uuid[]) w CROSS JOIN generate_series(1, $2::int) n`,
    [ids, each],
  );
  await addDeliveryJobs(service.database.pool, ids);
  await startJobs();
  await eventually(
    async () => failing.received.length,
    (length) => length > webhooks,
  );
  await eventOf(other);
  await eventOf(other);
  const left = await service.database.prisma.webhookDelivery.count({ where: { webhookId: { in: ids }, attempts: 0 } });
  process.stdout.write(`deliveries of the other organization without an attempt: ${left}\n`);
});
