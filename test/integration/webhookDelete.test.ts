// mutation webhookDelete: the webhook goes with its deliveries, and its job then has nothing to do.
import { deliver, startReceiver, storeWebhook } from '../support/webhooks.ts';
import { startTestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

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
