// mutation userInvite: creates an invitation, which reserves nothing, or renews one, and adds the job that mails the token.
import type { MutationUserInviteArgs, UserInviteInput } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import { type EditNeeds, type Role, roles } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { readEmail } from './emailAddress.ts';
import { mailInvitation } from './invitations.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import { lockAsEditor, lockMember, mayChange, type MemberRecord, updateMembership } from './members.ts';
import { isEmailVerified } from './usersStore.ts';

interface Needs extends EditNeeds {
  prisma: PrismaClient;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
}

interface Invitation {
  email: string;
  /** Absent in a repeated invitation: the name stays as it is. */
  name: string | null | undefined;
  role: Role;
}

/** Of an organization, with its invitations. */
const mostMembers = 10_000;

/**
 * Throws `forbidden`, `validation_failed`, `conflict` (a member has the address, or nobody has confirmed the caller's),
 * `rate_limited`.
 */
export async function userInvite({ input }: MutationUserInviteArgs, needs: Needs): Promise<MemberRecord> {
  const { caller, adminPool, attempts, address } = needs;
  const wanted = { own: false, rights: true, grantsOwner: input.role === 'owner' };
  if (!mayChange(caller.role, wanted)) throw new AppError('forbidden', undefined);
  const invitation = read(input);
  const { organizationId } = caller;
  const { email } = invitation;
  // Otherwise anybody could send mails with words of their own, and nobody could tell who it was. Asked before anything is
  // counted: who may send no mail must not use up those of a mailbox.
  if (!(await isEmailVerified(needs.prisma, caller.userId)))
    throw new AppError('conflict', { reason: 'email_unconfirmed' });
  // Counted within the organization, so that another organization cannot use up the attempts of an address.
  await attempts({ mutation: 'userInvite', account: `${organizationId} ${email}`, address });
  await attempts.invitation(organizationId);
  await attempts.assertAskedMail({ account: email, address });
  return inTransaction(adminPool, async (transaction) => {
    const editor = await lockAsEditor(transaction, caller);
    const known = await lockMember(transaction, { organizationId, email });
    if (!editor || !mayChange(editor, { ...wanted, of: known?.role })) throw new AppError('forbidden', undefined);
    if (known?.id) throw new AppError('conflict', { reason: 'already_member' });
    if (!known) {
      const count = await transaction.prisma.membership.count({ where: { organizationId } });
      assertRoom({ count, most: mostMembers, path: 'input', objects: 'users' });
    }
    await write(transaction, { organizationId, known, invitation }, needs);
    const invited = await lockMember(transaction, { organizationId, email });
    if (!invited) throw new Error('the invitation is not there in the transaction that wrote it');
    const { name, role, status } = invited;
    const details = changedFields<Partial<MemberRecord>>(known, { name, role, status });
    await audit(transaction, caller, { action: 'userInvite', objectType: 'user', objectId: email, details });
    return invited;
  });
}

interface Wanted {
  organizationId: string;
  known: MemberRecord | null;
  invitation: Invitation;
}

/** Says nothing about accounts: the address may have one, or be invited elsewhere. */
async function write(
  transaction: AdminTransaction,
  { organizationId, known, invitation: { email, name, role } }: Wanted,
  needs: Needs,
): Promise<void> {
  const membershipId = known?.membershipId ?? newId();
  if (known) {
    const again = { ...known, name: name === undefined ? known.name : name, role, status: 'invited' as const };
    await updateMembership(transaction, again);
  } else {
    const invited = {
      invitedEmail: email,
      invitedName: name ?? null,
      status: 'invited',
      createdAt: needs.now(),
    } as const;
    await transaction.prisma.membership.createMany({ data: { id: membershipId, organizationId, role, ...invited } });
  }
  await mailInvitation(transaction, { membershipId, email }, needs);
}

function read(input: EveryField<UserInviteInput, Record<'email' | 'name' | 'role', true>>): Invitation {
  const rules = inputRules();
  const email = readEmail(rules, 'input.email', input.email);
  const name = typeof input.name === 'string' ? rules.name('input.name', input.name) : input.name;
  const role = rules.oneOf('input.role', input.role, roles);
  rules.assert();
  return { email, name, role: role! };
}
