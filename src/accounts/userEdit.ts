// mutation userEdit: edits the caller, or with an e-mail address another user of the caller's organization.
import type { Pool } from 'pg';
import type { MutationUserEditArgs, UserEditInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { changedFields } from '../audit/auditEntry.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { EveryField } from '../platform/everyField.ts';
import { inputRules, isStorableText } from '../platform/inputRules.ts';
import { roles, type Caller } from '../workspace/caller.ts';
import { emailForm } from './emailAddress.ts';
import { revokeLoginSessions } from './loginSessionsStore.ts';
import { endPasswordTokens } from './passwordTokensStore.ts';
import { changed, isActiveOwner, mayChange, statusMayBecome, type UserChange } from './userChange.ts';
import { hasOtherActiveOwner, lockUserChanges, lockUserOfOrganization, updateUser } from './userEditsStore.ts';
import type { UserRecord } from './usersStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  now(): Date;
}

/** Throws `forbidden`, `validation_failed`, `not_found`, `conflict` (the last active owner). */
export async function userEdit(
  { input }: MutationUserEditArgs,
  { caller, adminPool, now }: Needs,
): Promise<UserRecord> {
  const email = typeof input.email === 'string' ? emailForm(input.email) : caller.email;
  const wanted = {
    own: email === caller.email,
    rights: input.role !== undefined || input.status !== undefined,
    grantsOwner: input.role === 'owner',
  };
  if (!mayChange(caller.role, wanted)) throw new AppError('forbidden', undefined);
  const change = read(input);
  if (!isStorableText(email)) throw new AppError('not_found', undefined);
  return inTransaction(adminPool, async (transaction) => {
    const editor = await lockUserChanges(transaction, caller);
    const user = await lockUserOfOrganization(transaction, { organizationId: caller.organizationId, email });
    if (!user) throw new AppError('not_found', undefined);
    const known = { own: user.id === caller.userId, of: user.role };
    if (!editor || !mayChange(editor, { ...wanted, ...known })) throw new AppError('forbidden', undefined);
    const result = changed(user, change);
    if (isActiveOwner(user) && !isActiveOwner(result) && !(await hasOtherActiveOwner(transaction, user))) {
      throw new AppError('conflict', { reason: 'last_owner' });
    }
    if (!statusMayBecome(user, result.status)) throw refusedStatus();
    const details = changedFields(user, change);
    if (Object.keys(details).length === 0) return result;
    await updateUser(transaction, result);
    if (result.status === 'disabled') await shutOut(transaction, result.id, now());
    await audit(transaction, caller, { action: 'userEdit', objectType: 'user', objectId: user.email, details });
    return result;
  });
}

/** The transaction holds the disabled user's row, so that no login and no token begins after this. */
async function shutOut(transaction: Transaction, userId: string, now: Date): Promise<void> {
  await revokeLoginSessions(transaction, { userId, now });
  await endPasswordTokens(transaction, { userId, now });
}

const statuses = ['active', 'disabled'] as const;

type Fields = 'email' | 'name' | 'avatar' | 'role' | 'status';

function read(input: EveryField<UserEditInput, Record<Fields, true>>): UserChange {
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, false);
  const avatar = rules.picture('input.avatar', input.avatar);
  const role = input.role === undefined ? undefined : rules.oneOf('input.role', input.role, roles);
  const status = input.status === undefined ? undefined : rules.oneOf('input.status', input.status, statuses);
  rules.assert();
  return { name, avatar, role, status };
}

function refusedStatus(): AppError {
  const message = 'the user has never been active: invite again, or wait until the invitation is accepted';
  return new AppError('validation_failed', { fields: [{ path: 'input.status', message }] });
}
