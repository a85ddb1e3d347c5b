// The job deliverWebhooks and receivers that an attacker runs: each attempt ends.
import { deliver, startReceiver, storeWebhook, type Receiver } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
