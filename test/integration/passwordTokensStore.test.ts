// The SQL of password tokens: which open tokens prevent a repeated mail, and which transaction waits for which.
import { randomBytes } from 'node:crypto';
import type { PasswordTokenPurpose } from '../../src/accounts/passwordTokens.ts';
import { endPasswordTokens, openPasswordToken } from '../../src/accounts/passwordTokensStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { holdLock } from '../support/heldLock.ts';
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

const put = (status: 'active' | 'invited') =>
  service.database.prisma.user.update({ where: { id: user.id }, data: { status } });

/** Opens the token, or opens it again, that many minutes from now; returns whether a mail is due. */
async function open(hash: Buffer, minutes = 0, purpose: PasswordTokenPurpose = 'reset'): Promise<boolean> {
  const now = new Date(Date.now() + minutes * minute);
  const token = { hash, purpose, email: user.email, now, expiresAt: new Date(now.getTime() + 30 * minute) };
  return (await openPasswordToken(service.database.pool, token)) !== null;
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

test('a later token of another kind does not', async () => {
  const hash = randomBytes(32);
  await open(hash);
  await put('invited');
  expect(await open(randomBytes(32), 1, 'invitation')).toBe(true);
  await put('active');
  expect(await open(hash, 2)).toBe(true);
});

test('none is opened for a user who is being disabled', async () => {
  const { pool, prisma } = service.database;
  const lock = await holdLock(pool, "UPDATE users SET status = 'disabled' WHERE id = $1", user.id);
  const opened = open(randomBytes(32));
  await Promise.race([opened, lock.waiting(1)]);
  await lock.release();
  expect([await opened, await prisma.passwordToken.count({ where: { userId: user.id } })]).toEqual([false, 0]);
});
