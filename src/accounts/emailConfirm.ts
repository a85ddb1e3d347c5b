// mutation emailConfirm: a mailed token proves the mailbox of the account's address, or makes a new address the account's.
import type { MutationEmailConfirmArgs } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { isUniqueViolation } from '../platform/database/databaseErrors.ts';
import { prepared } from '../platform/database/sql.ts';
import {
  type AdminTransaction,
  inTransaction,
  type PrismaModels,
  type Transaction,
} from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { endEmailTokens, endPasswordTokens, type MailedTokenNeeds } from './mailedTokens.ts';
import { lockMemberships, organizationsOf } from './members.ts';
import { noteEmailVerified } from './usersStore.ts';

/** Throws `invalid_token`, `conflict` (another account took the address meanwhile), `rate_limited`. */
export async function emailConfirm({ token }: MutationEmailConfirmArgs, needs: MailedTokenNeeds): Promise<true> {
  const { adminPool, prisma, passwordTokens, attempts, address, now } = needs;
  const attempt = await attempts.check({ mutation: 'emailConfirm', account: token, address });
  const key = { hash: passwordTokens.hashOf(token), now: now() };
  const found = await findToken(prisma, key);
  const email = found && (await inTransaction(adminPool, (transaction) => confirm(transaction, found, key)));
  if (email === null) {
    await attempt.failed();
    throw new AppError('invalid_token', undefined);
  }
  // A network from which the mailbox was proved counts like one from which the account logs in: attempts are counted by
  // address, so a new address would begin without any.
  await attempts.clear({ account: email, address });
  if (found?.purpose === 'change') await attempts.noteLogin({ account: email, address });
  return true;
}

interface Key {
  hash: Buffer<ArrayBuffer>;
  now: Date;
}

type FoundToken = NonNullable<Awaited<ReturnType<typeof findToken>>>;

/** Null for a token that is unknown, used, expired or ended. */
function findToken(prisma: PrismaModels, { hash, now }: Key) {
  return prisma.emailToken.findFirst({
    where: { hash, endedAt: null, expiresAt: { gt: now } },
    select: { userId: true, purpose: true, email: true },
  });
}

/** Returns the address that is proved; null for a token that no longer counts. */
async function confirm(transaction: AdminTransaction, token: FoundToken, { hash, now }: Key): Promise<string | null> {
  const { userId, purpose, email } = token;
  const present = await lockEmailOf(transaction, userId);
  // Looked up again under the lock: of two requests with one token, one succeeds.
  if (present === null || !(await findToken(transaction.prisma, { hash, now }))) return null;
  if (purpose === 'confirmation' && present !== email) return null;
  const changes = purpose === 'change' && present !== email;
  if (changes) await change(transaction, token, now);
  const noted = changes || (await noteEmailVerified(transaction, userId, now));
  await endEmailTokens(transaction, { userId, purpose }, now);
  if (noted) await note(transaction, token, present);
  return email;
}

/**
 * SQL, because it locks. Returns the address. Waits like a change of the address, which needs the strongest lock because
 * the column is unique.
 */
async function lockEmailOf(transaction: Transaction, userId: string): Promise<string | null> {
  const statement = prepared('lock_email_of')`/* accounts: lockEmailOf */
    SELECT email FROM users WHERE id = ${userId} FOR UPDATE`;
  const { rows } = await transaction.query<{ email: string }>(statement);
  return rows[0]?.email ?? null;
}

/** The locks keep out an invitation of the new address while its account is a member. */
async function change(transaction: AdminTransaction, { userId, email }: FoundToken, now: Date): Promise<void> {
  const { prisma } = transaction;
  await lockMemberships(transaction, await organizationsOf(prisma, userId));
  await prisma.user.updateMany({ where: { id: userId }, data: { email, emailVerifiedAt: now } }).catch(assertFree);
  // In the organizations where the user is a member. Otherwise the member, once removed, could come back with the
  // invitation's mail.
  const invitedBeside = { invitedEmail: email, organization: { memberships: { some: { userId } } } };
  await prisma.membership.deleteMany({ where: invitedBeside });
  // What was mailed to the old address must not open the account any more.
  await endEmailTokens(transaction, { userId, purpose: 'confirmation' }, now);
  await endPasswordTokens(transaction, { userId }, now);
}

/** Another account may have the address. PostgreSQL has then ended the transaction. */
function assertFree(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError('conflict', { reason: 'email_in_use' }) : error;
}

/** One line in each organization of the account: one that the user has left must not learn the new address. */
async function note(transaction: AdminTransaction, { userId, email }: FoundToken, present: string): Promise<void> {
  const details = changedFields({ email: present }, { email });
  const line = { action: 'emailConfirm', objectType: 'user', objectId: present, details } as const;
  for (const organizationId of await organizationsOf(transaction.prisma, userId)) {
    await audit(transaction, { organizationId, email: present }, line);
  }
}
