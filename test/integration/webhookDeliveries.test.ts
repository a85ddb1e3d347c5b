// query webhookDeliveries: pages by cursor, newest first.
import { enqueue, storeWebhook } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

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
