// mutation userRemove: ends another user's membership in the caller's organization, or withdraws an invitation.
import type { MutationUserRemoveArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { emailForm } from './emailAddress.ts';
import { endMembership, lockAsEditor, lockMember, mayChange } from './members.ts';

/** Throws `forbidden`, `not_found`, `conflict` (the last active owner). */
export async function userRemove(args: MutationUserRemoveArgs, { caller, adminPool, now }: EditNeeds): Promise<true> {
  const email = emailForm(args.email);
  if (!isStorableText(email)) throw new AppError('not_found', undefined);
  await inTransaction(adminPool, async (transaction) => {
    const editor = await lockAsEditor(transaction, caller);
    const member = await lockMember(transaction, { organizationId: caller.organizationId, email });
    if (!member) throw new AppError('not_found', undefined);
    const wanted = { own: false, rights: true, grantsOwner: false, of: member.role };
    if (!editor || !mayChange(editor, wanted)) throw new AppError('forbidden', undefined);
    await endMembership(transaction, member, now());
    await audit(transaction, caller, { action: 'userRemove', objectType: 'user', objectId: member.email });
  });
  return true;
}
