// The SQL that begins and ends logins: a user who is locked out meanwhile gets none, and an ended login stays ended.
import { enterOrganization, revokeLoginSession, revokeLoginSessions } from '../../src/accounts/loginSessionsStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a login that is ended again, by itself or with all of its user, ended the first time', async () => {
  const { pool, prisma } = service.database;
  const { id: userId, sessionId: id } = await newUser(service, await newOrganization(service));
  const times = [1, 2, 3].map((second) => new Date(Date.UTC(2026, 8, 10, 0, 0, second)));
  await inTransaction(pool, (transaction) => revokeLoginSession(transaction, { id, now: times[0]! }));
  await inTransaction(pool, (transaction) => revokeLoginSession(transaction, { id, now: times[1]! }));
  await inTransaction(pool, (transaction) => revokeLoginSessions(transaction, { userId, now: times[2]! }));
  expect((await prisma.loginSession.findUniqueOrThrow({ where: { id } })).revokedAt).toEqual(times[0]);
});

test('a login begins for an active user whose password is still the one that was compared, and for nobody else', async () => {
  const { pool, prisma } = service.database;
  const user = await newUser(service, await newOrganization(service));
  const { id: userId, organizationId } = user;
  const begins = (compared: string) => {
    const entry = { userId, organizationId, passwordHash: compared, now: new Date() };
    return inTransaction(pool, (transaction) => enterOrganization(transaction, entry));
  };
  const put = (data: object) => prisma.user.update({ where: { id: userId }, data });
  await put({ passwordHash: 'one' });
  expect([await begins('one'), await begins('other')]).toEqual([true, false]);
  await putMembership(service, user, { status: 'disabled' });
  expect(await begins('one')).toBe(false);
});
