// The links that an operator gets on the command line: an owner's first password, and an existing user's new one.
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type AdminTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/inputRules.ts';
import { lockFirstUser } from './signupPolicy.ts';
import { foundOrganization, organizationsOf } from './members.ts';
import { newPasswordToken, openResetToken } from './mailedTokens.ts';
import { insertUser, lockUserByEmail, noteEmailVerified } from './usersStore.ts';

/** Longer than a mailed reset, because an operator sends the link on to somebody else. */
export const linkHours = 24;

/** The actor of the audit line: nobody is logged in on the command line. */
const actor = 'command line';

interface Needs {
  adminPool: AdminPool;
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
  const [organizationId, userId] = [newId(), newId()];
  return inTransaction(needs.adminPool, async (transaction) => {
    const now = needs.now();
    // SIGNUP=first lets no other first user in beside this one.
    await lockFirstUser(transaction);
    const user = { id: userId, email, name, passwordHash: null, emailVerifiedAt: now, createdAt: now };
    if (!(await insertUser(transaction, user))) throw new AppError('conflict', { reason: 'email_in_use' });
    await foundOrganization(transaction, { id: organizationId, name: organization, userId, now });
    const link = await openLink(transaction, email, needs);
    const line = { action: 'userCreate', objectType: 'organization', objectId: organizationId } as const;
    await audit(transaction, { organizationId, email: actor }, line);
    return link;
  });
}

/** Returns the link. Throws `not_found` for an address without an account. Each organization of the user gets a line. */
export async function resetByLink(email: string, needs: Needs): Promise<string> {
  return inTransaction(needs.adminPool, async (transaction) => {
    const user = await lockUserByEmail(transaction, email);
    if (!user) throw new AppError('not_found', undefined);
    const link = await openLink(transaction, email, needs);
    // The operator vouches for the address: it counts as confirmed, although nobody proves the mailbox.
    await noteEmailVerified(transaction, user.id, needs.now());
    const line = { action: 'userReset', objectType: 'user', objectId: email } as const;
    for (const organizationId of await organizationsOf(transaction.prisma, user.id)) {
      await audit(transaction, { organizationId, email: actor }, line);
    }
    return link;
  });
}

async function openLink(transaction: AdminTransaction, email: string, { dashboardUrl, now }: Needs): Promise<string> {
  const { token, hash } = newPasswordToken();
  const expiresAt = new Date(now().getTime() + linkHours * 60 * 60_000);
  if (!(await openResetToken(transaction, { hash, email, now: now(), expiresAt }))) {
    throw new Error('the user can have no token in the transaction that has locked it');
  }
  return `${dashboardUrl}/reset-password?token=${token}`;
}
