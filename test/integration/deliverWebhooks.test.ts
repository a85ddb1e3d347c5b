// The job deliverWebhooks: signed, at least once, in order for one object, and patient with a receiver that fails.
import { randomUUID } from 'node:crypto';
import { enqueue, deliver, startReceiver, storeWebhook, type Receiver } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
])('a response without an end is read to 64 KiB, and then counts: %d bytes', async (bytes, state, timeLimitMillis) => {
  await using stage = await newStage();
  stage.receiver.respond = (response) => void response.writeHead(200).write(Buffer.alloc(bytes));
  await deliver(service, stage.webhook, { post: { timeLimitMillis } });
  expect(await states(stage.webhook)).toEqual([state]);
});

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
