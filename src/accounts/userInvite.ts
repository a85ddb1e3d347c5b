// mutation userInvite: creates a user who is not active yet, or invites one again, and adds the job that mails the token.
import type { Pool } from 'pg';
import type { MutationUserInviteArgs, UserInviteInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { changedFields } from '../audit/auditEntry.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { EveryField } from '../platform/everyField.ts';
import { inputRules } from '../platform/inputRules.ts';
import { newId } from '../platform/newId.ts';
import { roles, type Caller, type Role } from '../workspace/caller.ts';
import type { Attempts } from './attempts.ts';
import { readEmail } from './emailAddress.ts';
import { addPasswordMail } from './passwordMailJobs.ts';
import { expiryOf, type PasswordTokens } from './passwordTokens.ts';
import { endPasswordTokens, openPasswordToken } from './passwordTokensStore.ts';
import { changed, mayChange } from './userChange.ts';
import { lockUserChanges, lockUserOfOrganization, updateUser, type LockedUser } from './userEditsStore.ts';
import { insertUser, type UserRecord } from './usersStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

interface Invitation {
  email: string;
  /** Absent in a repeated invitation: the name stays as it is. */
  name: string | null | undefined;
  role: Role;
}

const purpose = 'invitation';

/** Throws `forbidden`, `validation_failed`, `conflict` (another user has the address), `rate_limited`. */
export async function userInvite({ input }: MutationUserInviteArgs, needs: Needs): Promise<UserRecord> {
  const { caller, adminPool, attempts, address, now } = needs;
  const wanted = { own: false, rights: true, grantsOwner: input.role === 'owner' };
  if (!mayChange(caller.role, wanted)) throw new AppError('forbidden', undefined);
  const invitation = read(input);
  const { organizationId } = caller;
  const { email } = invitation;
  // Counted within the organization, so that another organization cannot use up the attempts of an address.
  await attempts({ mutation: 'userInvite', account: `${organizationId} ${email}`, address });
  return inTransaction(adminPool, async (transaction) => {
    const editor = await lockUserChanges(transaction, caller);
    const known = await lockUserOfOrganization(transaction, { organizationId, email });
    if (!editor || !mayChange(editor, { ...wanted, of: known?.role })) throw new AppError('forbidden', undefined);
    if (known?.hasPassword) throw new AppError('conflict', { reason: 'already_member' });
    const user = known
      ? await inviteAgain(transaction, known, { invitation, now: now() })
      : await invite(transaction, organizationId, { invitation, now: now() });
    await mail(transaction, email, needs);
    const details = changedFields(known, { name: user.name, role: user.role, status: user.status });
    await audit(transaction, caller, { action: 'userInvite', objectType: 'user', objectId: email, details });
    return user;
  });
}

async function invite(
  transaction: Transaction,
  organizationId: string,
  { invitation: { email, name = null, role }, now }: { invitation: Invitation; now: Date },
): Promise<UserRecord> {
  const user: UserRecord = { id: newId(), organizationId, email, name, role, status: 'invited', avatar: null };
  if (!(await insertUser(transaction, { ...user, passwordHash: null, now }))) {
    throw new AppError('conflict', { reason: 'email_in_use' });
  }
  return user;
}

async function inviteAgain(
  transaction: Transaction,
  known: LockedUser,
  { invitation: { name = known.name, role }, now }: { invitation: Invitation; now: Date },
): Promise<UserRecord> {
  const user: UserRecord = { ...changed(known, { role }), name, status: 'invited' };
  await updateUser(transaction, user);
  await endPasswordTokens(transaction, { userId: user.id, now });
  return user;
}

/** Opens the token here and not only in the job, so that a repeated invitation ends it whatever the job does. */
async function mail(transaction: Transaction, email: string, { passwordTokens, now }: Needs): Promise<void> {
  const mailId = newId();
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  await openPasswordToken(transaction, { hash, purpose, email, now: now(), expiresAt: expiryOf(purpose, now()) });
  await addPasswordMail(transaction, { mailId, purpose, email });
}

function read(input: EveryField<UserInviteInput, Record<'email' | 'name' | 'role', true>>): Invitation {
  const rules = inputRules();
  const email = readEmail(rules, 'input.email', input.email);
  const name = typeof input.name === 'string' ? rules.name('input.name', input.name) : input.name;
  const role = rules.oneOf('input.role', input.role, roles);
  rules.assert();
  return { email, name, role: role! };
}
