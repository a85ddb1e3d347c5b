// query me: the caller's user, as the database has it now.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('shows every field of the caller and of nobody else', async () => {
  const organization = await newOrganization(service);
  await newUser(service, organization, 'owner');
  const editor = await newUser(service, organization, 'editor');
  const ask = async () =>
    (await editor.ask('{ me { id email name role status avatar emailVerified lastLoginAt invitationExpiresAt } }'))
      .data;
  const unset = { avatar: null, lastLoginAt: null, invitationExpiresAt: null };
  const known = { id: editor.id, email: editor.email, emailVerified: true };
  const shown = { ...unset, ...known, name: 'The editor', role: 'editor', status: 'active' };
  expect(await ask()).toEqual({ me: shown });
  await service.database.prisma.user.update({ where: { id: editor.id }, data: { avatar: 'a.png' } });
  await putMembership(service, editor, { role: 'viewer' });
  expect(await ask()).toEqual({ me: { ...shown, role: 'viewer', avatar: 'a.png' } });
});
