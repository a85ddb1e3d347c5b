// Reads and writes of accounts: what belongs to a user in all organizations.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
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
