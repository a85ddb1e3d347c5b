// mutation webhookRedeliver: a delivery goes again at once, out of order.
import { deliver, enqueue, startReceiver, storeWebhook } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

const redeliver = (id: string) =>
  admin.ask('mutation R($id: UUID!) { webhookRedeliver(deliveryId: $id) { id state attempts nextAttemptAt } }', { id });

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
