// mutation sessionRevoke: ends one live session of the caller; every other id is NOT_FOUND.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  user = await newUser(service, await newOrganization(service));
});

const revoke = (id: string) => user.ask('mutation R($id: UUID!) { sessionRevoke(id: $id) }', { id });
const later = () => new Date(Date.now() + 3_600_000);

test('ends the session at once, and a second time it is NOT_FOUND', async () => {
  const { id } = await service.database.prisma.loginSession.create({
    data: { userId: user.id, organizationId: user.organizationId, expiresAt: later() },
  });
  const token = await service.deps.accessTokens.issue({ userId: user.id, sessionId: id }, new Date());
  const me = () => askAdmin(service.url, { query: '{ me { email } }', token });
  expect((await me()).status).toBe(200);
  expect((await revoke(id)).data).toEqual({ sessionRevoke: true });
  expect((await me()).status).toBe(401);
  expect((await revoke(id)).codes).toEqual(['NOT_FOUND']);
  expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
});

test("ends the bearer's own session like logout", async () => {
  expect((await revoke(user.sessionId)).data).toEqual({ sessionRevoke: true });
  expect((await user.ask('{ id }')).data).toEqual({ id: null });
});

test("another user's, an expired and an unknown session are NOT_FOUND", async () => {
  const colleague = await newUser(service, user.organizationId);
  const expired = { userId: user.id, organizationId: user.organizationId, expiresAt: new Date(Date.now() - 1_000) };
  const { id } = await service.database.prisma.loginSession.create({ data: expired });
  for (const each of [colleague.sessionId, id, randomUUID()]) {
    expect((await revoke(each)).codes).toEqual(['NOT_FOUND']);
  }
  expect((await colleague.ask('{ id }')).data).toEqual({ id: colleague.id });
});
