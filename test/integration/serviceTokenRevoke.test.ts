// mutation serviceTokenRevoke: the token ends at once on every process.
import { askAdmin } from '../support/adminClient.ts';
import { newServiceToken } from '../support/serviceTokens.ts';
import { startTestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

test('a revoked token is refused from the next request on, and is not listed any more', async () => {
  await using service = await startTestService();
  const admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  const { id, token } = await newServiceToken(admin);
  const ask = () => askAdmin(service.url, { query: '{ campaignsCount }', token });
  expect((await ask()).status).toBe(200);
  const revoke = () => admin.ask('mutation R($id: UUID!) { serviceTokenRevoke(id: $id) }', { id });
  expect((await revoke()).data).toEqual({ serviceTokenRevoke: true });
  expect((await ask()).codes).toEqual(['UNAUTHENTICATED']);
  expect((await admin.ask('{ serviceTokens { id } }')).data).toEqual({ serviceTokens: [] });
  expect((await revoke()).codes).toEqual(['NOT_FOUND']);
});
