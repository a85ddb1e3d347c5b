// mutation accountDelete: removes the caller's account with its memberships and sessions. Its audit lines keep the address.
import type { MutationAccountDeleteArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { assertOwnerStays, findMembershipsOfUser, lockMemberships, organizationsOf } from './members.ts';
import type { Passwords } from './passwords.ts';
import { deleteUser, findUserByEmail, lockUserWithPassword } from './usersStore.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: AdminPool;
  prisma: PrismaClient;
  passwords: Passwords;
  attempts: Attempts;
  address: string;
}

/** Throws `rate_limited`, `invalid_credentials`, `conflict` (the last active owner of an organization). */
export async function accountDelete({ password }: MutationAccountDeleteArgs, needs: Needs): Promise<true> {
  const { caller, adminPool, prisma, passwords, attempts, address } = needs;
  const attempt = await attempts({ mutation: 'accountDelete', account: caller.email, address });
  const user = await findUserByEmail(prisma, caller.email);
  const compared = user?.passwordHash ?? null;
  if (!(await passwords.matches(compared, password, 'known'))) throw new AppError('invalid_credentials', undefined);
  await inTransaction(adminPool, (transaction) => remove(transaction, compared!, caller));
  await attempt.succeeded();
  return true;
}

async function remove(transaction: Transaction, passwordHash: string, { userId, email }: LiveCaller): Promise<void> {
  if (!(await lockUserWithPassword(transaction, { userId, passwordHash }))) {
    throw new AppError('invalid_credentials', undefined);
  }
  await lockMemberships(transaction, await organizationsOf(transaction, userId));
  // Again, because a membership may have changed while this transaction waited for the lock.
  const memberships = await findMembershipsOfUser(transaction, userId);
  for (const membership of memberships) await assertOwnerStays(transaction, membership);
  await deleteUser(transaction, userId);
  for (const { organizationId } of memberships) {
    await audit(
      transaction,
      { organizationId, email },
      { action: 'accountDelete', objectType: 'user', objectId: email },
    );
  }
}
