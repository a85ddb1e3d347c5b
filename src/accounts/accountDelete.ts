// mutation accountDelete: removes the caller's account with its memberships and sessions. Its audit lines keep the address.
import type { MutationAccountDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { assertOwnerStays, findMembershipsOfUser, lockMemberships, organizationsOf } from './members.ts';
import { compareOwnPassword, type OwnAccountNeeds } from './passwordChange.ts';
import { lockUserWithPassword } from './usersStore.ts';

/** Throws `rate_limited`, `invalid_credentials`, `conflict` (the last active owner of an organization). */
export async function accountDelete({ password }: MutationAccountDeleteArgs, needs: OwnAccountNeeds): Promise<true> {
  const { adminPool, attempts, address } = needs;
  const { userId, email } = needs.caller;
  const attempt = await attempts({ mutation: 'accountDelete', account: email, address });
  const passwordHash = await compareOwnPassword(password, needs);
  await inTransaction(adminPool, async (transaction) => {
    const { prisma } = transaction;
    await lockUserWithPassword(transaction, { userId, passwordHash });
    await lockMemberships(transaction, await organizationsOf(prisma, userId));
    // Again, because a membership may have changed while this transaction waited for the lock.
    const memberships = await findMembershipsOfUser(prisma, userId);
    for (const membership of memberships) await assertOwnerStays(transaction, membership);
    await prisma.user.deleteMany({ where: { id: userId } });
    const line = { action: 'accountDelete', objectType: 'user', objectId: email } as const;
    for (const { organizationId } of memberships) await audit(transaction, { organizationId, email }, line);
  });
  await attempt.succeeded();
  return true;
}
