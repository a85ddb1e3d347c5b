// mutation webhookEdit: the secret is shown once and stored encrypted, and a URL that is not public is refused.
import { createEncryption } from '../../src/platform/encryption.ts';
import { newWebhook, storeWebhook } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

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
