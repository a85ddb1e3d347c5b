// Reads and writes of accounts: what belongs to a user in all organizations. Logins of a locked user wait until the transaction ends.
import type { User } from '../../generated/prisma/client.ts';
import { prepared, raw } from '../platform/database/sql.ts';
import type { AdminTransaction, PrismaModels, Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';

export type AccountRecord = Pick<User, 'id' | 'email' | 'name' | 'emailVerifiedAt'>;

/** To compare a password only: with the hash, which is null for an account without a password. */
export function findUserByEmail(
  prisma: PrismaModels,
  email: string,
): Promise<Pick<User, 'id' | 'passwordHash'> | null> {
  return prisma.user.findUnique({ where: { email }, select: { id: true, passwordHash: true } });
}

export async function isEmailVerified(prisma: PrismaModels, id: string): Promise<boolean> {
  return (await prisma.user.count({ where: { id, emailVerifiedAt: { not: null } } })) === 1;
}

/** False when the e-mail address is in use. */
export async function insertUser({ prisma }: AdminTransaction, user: Omit<User, 'avatar'>): Promise<boolean> {
  const { count } = await prisma.user.createMany({ data: user, skipDuplicates: true });
  return count === 1;
}

const columns = raw('id, email, name, email_verified_at AS "emailVerifiedAt"');

/** SQL, because it locks. */
export async function lockUser(transaction: Transaction, id: string): Promise<AccountRecord | null> {
  const statement = prepared('lock_user')`/* accounts: lockUser */
    SELECT ${columns} FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<AccountRecord>(statement);
  return rows[0] ?? null;
}

/** SQL, because it locks. */
export async function lockUserByEmail(transaction: Transaction, email: string): Promise<AccountRecord | null> {
  const statement = prepared('lock_user_by_email')`/* accounts: lockUserByEmail */
    SELECT ${columns} FROM users WHERE email = ${email} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<AccountRecord>(statement);
  return rows[0] ?? null;
}

/** SQL, because it locks. Throws `invalid_credentials` when the user now has another password. */
export async function lockUserWithPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<void> {
  const { rowCount } = await transaction.query(prepared('lock_user_with_password')`/* accounts: lockUserWithPassword */
    SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${passwordHash} FOR NO KEY UPDATE`);
  if (rowCount !== 1) throw new AppError('invalid_credentials', undefined);
}

/** Whoever knows the old password and has not yet used their challenge must log in again. */
export async function setPassword(
  { prisma }: AdminTransaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<void> {
  await prisma.user.updateMany({ where: { id: userId }, data: { passwordHash } });
  await prisma.loginChallenge.deleteMany({ where: { userId } });
}

/** The user has proved the mailbox of the address. False where that is noted already. */
export async function noteEmailVerified({ prisma }: AdminTransaction, id: string, now: Date): Promise<boolean> {
  const where = { id, emailVerifiedAt: null };
  return (await prisma.user.updateMany({ where, data: { emailVerifiedAt: now } })).count === 1;
}

/** An invitation's name is for an account that has none. */
export async function takeInvitedName({ prisma }: AdminTransaction, id: string, name: string | null): Promise<void> {
  await prisma.user.updateMany({ where: { id, name: null }, data: { name } });
}
