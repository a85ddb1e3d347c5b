// query me: the caller's user, as the database has it now.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('shows every field of the caller and of nobody else', async () => {
  const organization = await newOrganization(service);
  await newUser(service, organization, 'owner');
  const editor = await newUser(service, organization, 'editor');
  const ask = async () => (await editor.ask('{ me { email name role status avatar } }')).data;
  const shown = { email: editor.email, name: 'The editor', role: 'editor', status: 'active', avatar: null };
  expect(await ask()).toEqual({ me: shown });
  await service.database.prisma.user.update({ where: { id: editor.id }, data: { role: 'viewer', avatar: 'a.png' } });
  expect(await ask()).toEqual({ me: { ...shown, role: 'viewer', avatar: 'a.png' } });
});
