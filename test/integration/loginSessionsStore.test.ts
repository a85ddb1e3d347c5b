// The SQL that begins and ends logins: a user who is locked out meanwhile gets none, and an ended login stays ended.
import { insertLoginSession, revokeLoginSession, revokeLoginSessions } from '../../src/accounts/loginSessionsStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/newId.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

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
  const { id: userId } = await newUser(service, await newOrganization(service));
  const begins = (compared: string) => {
    const now = new Date();
    const origin = { userAgent: null, address: '' };
    const session = { id: newId(), userId, passwordHash: compared, now, expiresAt: now, ...origin };
    return inTransaction(pool, (transaction) => insertLoginSession(transaction, session));
  };
  const put = (data: object) => prisma.user.update({ where: { id: userId }, data });
  await put({ passwordHash: 'one' });
  expect([await begins('one'), await begins('other')]).toEqual([true, false]);
  for (const status of ['disabled', 'invited']) {
    await put({ status });
    expect(await begins('one')).toBe(false);
  }
});
