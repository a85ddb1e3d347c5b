// mutation userEdit: edits the caller, or with an e-mail address another user of the caller's organization.
import type { MutationUserEditArgs, UserEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules, isStorableText } from '../platform/inputRules.ts';
import { type EditNeeds, roles } from '../workspace/workspace.ts';
import { emailForm } from './emailAddress.ts';
import {
  assertOwnerStays,
  changed,
  isActiveOwner,
  lockAsEditor,
  lockMember,
  mayChange,
  type MemberRecord,
  statusMayBecome,
  updateMembership,
  type UserChange,
} from './members.ts';
import { revokeLoginSessions } from './authenticate.ts';
import { endPasswordTokens } from './mailedTokens.ts';
import { lockUser } from './usersStore.ts';

/** Throws `forbidden`, `validation_failed`, `not_found`, `conflict` (the last active owner). */
export async function userEdit(
  { input }: MutationUserEditArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<MemberRecord> {
  const email = typeof input.email === 'string' ? emailForm(input.email) : caller.email;
  const wanted = {
    own: email === caller.email,
    rights: input.role !== undefined || input.status !== undefined,
    grantsOwner: input.role === 'owner',
  };
  if (!mayChange(caller.role, wanted)) throw new AppError('forbidden', undefined);
  const change = read(input, wanted.own);
  if (!isStorableText(email)) throw new AppError('not_found', undefined);
  return inTransaction(adminPool, async (transaction) => {
    // The caller's own address may have changed since the request began.
    const self = wanted.own ? await lockUser(transaction, caller.userId) : null;
    const editor = await lockAsEditor(transaction, caller);
    const member = await lockMember(transaction, {
      organizationId: caller.organizationId,
      email: self?.email ?? email,
    });
    if (!member) throw new AppError('not_found', undefined);
    const known = { own: member.id === caller.userId, of: member.role };
    if (!editor || !mayChange(editor, { ...wanted, ...known })) throw new AppError('forbidden', undefined);
    const result = changed(member, change);
    if (!isActiveOwner(result)) await assertOwnerStays(transaction, member);
    if (!statusMayBecome(member, result.status)) throw refusedStatus();
    const details = changedFields(member, change);
    if (Object.keys(details).length === 0) return result;
    await write(transaction, result, { own: known.own, now: now() });
    await audit(transaction, caller, { action: 'userEdit', objectType: 'user', objectId: member.email, details });
    return result;
  });
}

async function write(
  transaction: AdminTransaction,
  member: MemberRecord,
  { own, now }: { own: boolean; now: Date },
): Promise<void> {
  const { id, organizationId, membershipId, name, avatar, status } = member;
  await updateMembership(transaction, member);
  if (own && id !== null) await transaction.prisma.user.updateMany({ where: { id }, data: { name, avatar } });
  if (status !== 'disabled') return;
  // The transaction holds the membership, so that no login begins here after this, and no token opens.
  if (id === null) await endPasswordTokens(transaction, { membershipId }, now);
  else await revokeLoginSessions(transaction, { userId: id, organizationId }, now);
}

const onlyOwn = 'is edited by the user alone: it belongs to the account, not to the organization';
const statuses = ['active', 'disabled'] as const;

type Fields = 'email' | 'name' | 'avatar' | 'role' | 'status';

function read(input: EveryField<UserEditInput, Record<Fields, true>>, own: boolean): UserChange {
  const rules = inputRules();
  if (!own && input.name !== undefined) rules.refuse('input.name', onlyOwn);
  if (!own && input.avatar !== undefined) rules.refuse('input.avatar', onlyOwn);
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
