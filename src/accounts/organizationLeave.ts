// mutation organizationLeave: ends the caller's membership in the organization of the bearer, with its sessions.
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { endMembership, findMember, lockAsEditor } from './members.ts';

/** Throws `conflict` (the last active owner). */
export async function organizationLeave(_args: unknown, { caller, adminPool, now }: EditNeeds): Promise<true> {
  await inTransaction(adminPool, async (transaction) => {
    await lockAsEditor(transaction, caller);
    // By the user, because the address may have changed since the request began. Null for a caller who has been removed.
    const member = await findMember(transaction, caller);
    if (!member) return;
    await endMembership(transaction, member, now());
    const line = { action: 'organizationLeave', objectType: 'user', objectId: caller.email } as const;
    await audit(transaction, caller, line);
  });
  return true;
}
