// Reads and writes of accounts: what belongs to a user in all organizations.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared, raw } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

export interface AccountRecord {
  id: string;
  email: string;
  name: string | null;
  emailVerifiedAt: Date | null;
}

/** To compare a password only: with the hash, which is null for an account without a password. */
export function findUserByEmail(
  prisma: Pick<PrismaClient, 'user'>,
  email: string,
): Promise<{ id: string; passwordHash: string | null } | null> {
  return prisma.user.findUnique({ where: { email }, select: { id: true, passwordHash: true } });
}

export interface NewUser {
  id: string;
  email: string;
  name: string | null;
  passwordHash: string | null;
  /** Null until the user has proved the mailbox. */
  emailVerifiedAt: Date | null;
  now: Date;
}

/** False when the e-mail address is in use. */
export async function insertUser(transaction: Transaction, user: NewUser): Promise<boolean> {
  const { id, email, name, passwordHash, emailVerifiedAt, now } = user;
  const { rowCount } = await transaction.query(prepared('insert_user')`/* accounts: insertUser */
    INSERT INTO users (id, email, name, password_hash, email_verified_at, created_at)
    VALUES (${id}, ${email}, ${name}, ${passwordHash}, ${emailVerifiedAt}, ${now})
    ON CONFLICT (email) DO NOTHING`);
  return rowCount === 1;
}

// The SQL of changes to accounts: their locks and their writes. Logins of a locked user wait until the transaction ends.

const columns = raw('id, email, name, email_verified_at AS "emailVerifiedAt"');

export async function lockUser(transaction: Transaction, id: string): Promise<AccountRecord | null> {
  const statement = prepared('lock_user')`/* accounts: lockUser */
    SELECT ${columns} FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<AccountRecord>(statement);
  return rows[0] ?? null;
}

export async function lockUserByEmail(transaction: Transaction, email: string): Promise<AccountRecord | null> {
  const statement = prepared('lock_user_by_email')`/* accounts: lockUserByEmail */
    SELECT ${columns} FROM users WHERE email = ${email} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<AccountRecord>(statement);
  return rows[0] ?? null;
}

/** False when the user now has another password. */
export async function lockUserWithPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('lock_user_with_password')`/* accounts: lockUserWithPassword */
    SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${passwordHash} FOR NO KEY UPDATE`);
  return rowCount === 1;
}

export async function updateUser(
  transaction: Transaction,
  { id, name, avatar }: { id: string; name: string | null; avatar: string | null },
): Promise<void> {
  await transaction.query(prepared('update_user')`/* accounts: updateUser */
    UPDATE users SET name = ${name}, avatar = ${avatar} WHERE id = ${id}`);
}

/** Whoever knows the old password and has not yet used their challenge must log in again. */
export async function setPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<void> {
  await transaction.query(prepared('set_password')`/* accounts: setPassword */
    UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId}`);
  await transaction.query(prepared('delete_challenges')`/* accounts: deleteChallenges */
    DELETE FROM login_challenges WHERE user_id = ${userId}`);
}

/** An invitation's name is for an account that has none. */
export async function takeInvitedName(
  transaction: Transaction,
  { userId, name }: { userId: string; name: string | null },
): Promise<void> {
  await transaction.query(prepared('take_invited_name')`/* accounts: takeInvitedName */
    UPDATE users SET name = ${name} WHERE id = ${userId} AND name IS NULL`);
}

export async function deleteUser(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(prepared('delete_user')`/* accounts: deleteUser */
    DELETE FROM users WHERE id = ${id}`);
}
