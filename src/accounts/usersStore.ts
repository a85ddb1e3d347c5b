// Reads and writes of users.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Role } from '../workspace/caller.ts';

type Users = Pick<PrismaClient, 'user'>;

export interface UserRecord {
  id: string;
  organizationId: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited' | 'disabled';
  avatar: string | null;
}

/** Every column but the password's hash, which must reach no response. */
const shown = {
  id: true,
  organizationId: true,
  email: true,
  name: true,
  role: true,
  status: true,
  avatar: true,
} as const;

export function findUser(prisma: Users, id: string): Promise<UserRecord | null> {
  return prisma.user.findUnique({ where: { id }, select: shown });
}

/** For login only: with the hash, which is null for a user who has never set a password. */
export function findUserByEmail(
  prisma: Users,
  email: string,
): Promise<(UserRecord & { passwordHash: string | null }) | null> {
  return prisma.user.findUnique({ where: { email }, select: { ...shown, passwordHash: true } });
}

/** Oldest first. */
export function findUsersOfOrganizations(
  prisma: Users,
  organizationIds: readonly string[],
  take: number,
): Promise<UserRecord[]> {
  return prisma.user.findMany({
    where: { organizationId: { in: [...organizationIds] } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take,
    select: shown,
  });
}

export interface NewUser extends UserRecord {
  /** Null for an invited user. */
  passwordHash: string | null;
  now: Date;
}

/** False when the e-mail address is in use, in any organization. */
export async function insertUser(transaction: Transaction, user: NewUser): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('insert_user')`/* accounts: insertUser */
    INSERT INTO users (id, organization_id, email, name, role, status, avatar, password_hash, created_at)
    VALUES (${user.id}, ${user.organizationId}, ${user.email}, ${user.name}, ${user.role}, ${user.status}, ${user.avatar},
      ${user.passwordHash}, ${user.now})
    ON CONFLICT (email) DO NOTHING`);
  return rowCount === 1;
}
