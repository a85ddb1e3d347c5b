// query webhooks: the webhooks of one application, oldest first.
import { newWebhook } from '../support/webhooks.ts';
import { startTestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

test('lists the webhooks of the application, oldest first', async () => {
  await using service = await startTestService();
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
