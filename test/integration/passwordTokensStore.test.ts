// The SQL of password tokens: which open tokens prevent a repeated mail, and which transaction waits for which.
import { randomBytes } from 'node:crypto';
import { endPasswordTokens, openResetToken } from '../../src/accounts/passwordTokensStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const minute = 60_000;
let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await newUser(service, await newOrganization(service));
});
afterAll(() => service.stop());

/** Opens the token, or opens it again, that many minutes from now; returns whether a mail is due. */
async function open(hash: Buffer, minutes = 0): Promise<boolean> {
  const now = new Date(Date.now() + minutes * minute);
  const token = { hash, email: user.email, now, expiresAt: new Date(now.getTime() + 30 * minute) };
  return (await openResetToken(service.database.pool, token)) !== null;
}

test('a later token of its kind stands in the way, as long as it has not ended', async () => {
  const [hash, later] = [randomBytes(32), randomBytes(32)];
  expect([await open(hash), await open(later, 1), await open(hash, 2)]).toEqual([true, true, false]);
  const where = { hash: Uint8Array.from(later) };
  await service.database.prisma.passwordToken.update({ where, data: { endedAt: new Date() } });
  expect(await open(hash, 3)).toBe(true);
});

test('one that has ended meanwhile is not opened again', async () => {
  const { pool } = service.database;
  const [hash, other] = [randomBytes(32), randomBytes(32)];
  expect(await open(hash)).toBe(true);
  const ended = { userId: user.id, now: new Date() };
  await inTransaction(pool, (transaction) => endPasswordTokens(transaction, ended));
  expect([await open(hash, 1), await open(other, 1)]).toEqual([false, true]);
});
