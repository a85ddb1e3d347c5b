// The links that an operator gets on the command line: an owner's first password, and an existing user's new one.
import type { Pool } from 'pg';
import { audit } from '../audit/audit.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/newId.ts';
import { insertOrganization } from '../workspace/workspaceStore.ts';
import { noteEmailVerified } from './emailAddressStore.ts';
import { lockFirstUser } from './firstUserStore.ts';
import { lockUserByEmail } from './passwordLinksStore.ts';
import { newPasswordToken, type PasswordTokenPurpose } from './passwordTokens.ts';
import { openPasswordToken } from './passwordTokensStore.ts';
import { insertUser } from './usersStore.ts';

/** Longer than a mailed reset, because an operator sends the link on to somebody else. */
export const linkHours = 24;

/** The actor of the audit line: nobody is logged in on the command line. */
const actor = 'command line';

interface Needs {
  pool: Pool;
  dashboardUrl: string;
  now(): Date;
}

export interface NewOwner {
  /** In its stored form. */
  email: string;
  name: string | null;
  organization: string;
}

/** Makes an organization and its first owner. Returns the link. Throws `conflict` for an address in use. */
export async function createOwner({ email, name, organization }: NewOwner, needs: Needs): Promise<string> {
  const organizationId = newId();
  const owner = { id: newId(), organizationId, email, name, role: 'owner', status: 'active', avatar: null } as const;
  return inTransaction(needs.pool, async (transaction) => {
    const now = needs.now();
    // SIGNUP=first lets no other first user in beside this one.
    await lockFirstUser(transaction);
    await insertOrganization(transaction, { id: organizationId, name: organization, now });
    if (!(await insertUser(transaction, { ...owner, passwordHash: null, now }))) {
      throw new AppError('conflict', { reason: 'email_in_use' });
    }
    const link = await openLink(transaction, { user: owner, email, purpose: 'reset' }, needs);
    const line = { action: 'userCreate', objectType: 'organization', objectId: organizationId } as const;
    await audit(transaction, { organizationId, email: actor }, line);
    return link;
  });
}

/** Returns the link. Throws `not_found` for an unknown address, and `forbidden` for a disabled user. */
export async function resetByLink(email: string, needs: Needs): Promise<string> {
  return inTransaction(needs.pool, async (transaction) => {
    const user = await lockUserByEmail(transaction, email);
    if (!user) throw new AppError('not_found', undefined);
    if (user.status === 'disabled') throw new AppError('forbidden', undefined);
    const purpose = user.status === 'invited' ? 'invitation' : 'reset';
    const link = await openLink(transaction, { user, email, purpose }, needs);
    const line = { action: 'userReset', objectType: 'user', objectId: email } as const;
    await audit(transaction, { organizationId: user.organizationId, email: actor }, line);
    return link;
  });
}

interface Wanted {
  user: { id: string };
  email: string;
  purpose: PasswordTokenPurpose;
}

/** The operator vouches for the address: it counts as confirmed, although nobody proves the mailbox. */
async function openLink(
  transaction: Transaction,
  { user, email, purpose }: Wanted,
  { dashboardUrl, now }: Needs,
): Promise<string> {
  const { token, hash } = newPasswordToken();
  const expiresAt = new Date(now().getTime() + linkHours * 60 * 60_000);
  if (!(await openPasswordToken(transaction, { hash, purpose, email, now: now(), expiresAt }))) {
    throw new Error('the user can have no token in the transaction that has locked it');
  }
  await noteEmailVerified(transaction, { userId: user.id, now: now() });
  const page = purpose === 'invitation' ? 'accept-invitation' : 'reset-password';
  return `${dashboardUrl}/${page}?token=${token}`;
}
