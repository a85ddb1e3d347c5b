// query serviceTokens: those that nobody has revoked, expired ones included, newest first.
import { storeServiceToken } from '../support/serviceTokens.ts';
import { startTestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

test('lists the own tokens, newest first, and never the token itself', async () => {
  await using service = await startTestService();
  const admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  const { organizationId } = admin;
  const expiresAt = new Date('2020-01-01T00:00:00Z');
  const { token } = await storeServiceToken(service, { organizationId, name: 'Expired', expiresAt });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await storeServiceToken(service, { organizationId, name: 'New', role: 'editor' });
  const foreign = await organizationOf(service, (await service.newApplication()).id);
  await storeServiceToken(service, { organizationId: foreign, name: 'Foreign' });
  const { data, text } = await admin.ask(
    '{ serviceTokens { name role expiresAt applicationIds lastUsedAt createdBy } }',
  );
  const others = { applicationIds: null, lastUsedAt: null, createdBy: 'ann@example.com' };
  expect(data!['serviceTokens']).toEqual([
    { name: 'New', role: 'editor', expiresAt: null, ...others },
    { name: 'Expired', role: 'viewer', expiresAt: '2020-01-01T00:00:00.000Z', ...others },
  ]);
  expect(text).not.toContain(token);
});
