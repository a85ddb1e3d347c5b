// Ends a membership or an invitation. An organization keeps an active owner.
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { revokeSessionsIn } from './loginSessionsStore.ts';
import type { MemberRecord } from './membersStore.ts';
import { deleteMembership, hasOtherActiveOwner } from './membershipEditsStore.ts';
import { isActiveOwner } from './userChange.ts';

type Ending = Pick<MemberRecord, 'membershipId' | 'organizationId' | 'role' | 'status'>;

/** The caller has locked the organization's memberships. Throws `conflict`. */
export async function assertOwnerStays(transaction: Transaction, member: Ending): Promise<void> {
  if (isActiveOwner(member) && !(await hasOtherActiveOwner(transaction, member))) {
    throw new AppError('conflict', { reason: 'last_owner' });
  }
}

/** With its sessions, or its mailed tokens. The transaction holds the row, so that no login begins here after this. */
export async function endMembership(transaction: Transaction, member: MemberRecord, now: Date): Promise<void> {
  const { id: userId, organizationId } = member;
  await assertOwnerStays(transaction, member);
  await deleteMembership(transaction, member.membershipId);
  if (userId !== null) await revokeSessionsIn(transaction, { userId, organizationId, now });
}
