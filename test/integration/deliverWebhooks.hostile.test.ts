// The job deliverWebhooks and receivers that an attacker runs: each attempt ends, and other organizations get their events.
import { enqueue, deliver, startReceiver, storeWebhook, type Receiver } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createDeliverySlots } from '../../src/webhooks/deliverySlots.ts';

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

test('an organization of receivers that never respond leaves slots to the others', async () => {
  await using patient = await startReceiver();
  const deliverySlots = createDeliverySlots();
  const [hostile, honest] = [await service.newApplication(), await service.newApplication()];
  const stored = [];
  for (let n = 0; n < 6; n++) stored.push(await storeWebhook(service, hostile.id, receiver.url));
  const webhooks = stored.map(({ webhook }) => webhook);
  receiver.respond = () => undefined;
  const post = { timeLimitMillis: 2_100 };
  await deliver(service, webhooks[0]!, { deliverySlots, post });

  // Later events of theirs are due again, and all their jobs run at once.
  const now = () => new Date(Date.now() + 3_600_000);
  const attack = webhooks.map((webhook) => deliver(service, webhook, { deliverySlots, post, now }));
  const before = receiver.received.length;
  while (receiver.received.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const { webhook, delivery } = await storeWebhook(service, honest.id, patient.url);
  await deliver(service, webhook, { deliverySlots });
  expect(await row(delivery)).toMatchObject({ state: 'DELIVERED' });
  await Promise.all(attack);
  // Two of six had a turn, and the jobs of the others wait.
  const keys = webhooks.map((id) => `deliverWebhooks:${id}`);
  const { rowCount } = await service.database.pool.query('SELECT FROM graphile_worker.jobs WHERE key = ANY($1)', [
    keys,
  ]);
  expect(rowCount).toBe(6);
  await enqueue(service, { applicationId: honest.id, data: { n: 2 } });
  await deliver(service, webhook, { deliverySlots });
  expect(patient.received).toHaveLength(2);
});
