// mutation invitationAccept: adds the membership of a mailed invitation to the user's account, and starts a session in it.
import type { MutationInvitationAcceptArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError, isAppError } from '../platform/errors.ts';
import { acceptInvitation, findInvitationOfToken } from './invitations.ts';
import { type JoiningNeeds, lockJoiningUser } from './loginChallenges.ts';
import { finishLogin, type LoggedIn, type LoginNeeds, startLogin, type TokenPair } from './startLogin.ts';
import { lockMemberships } from './members.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import { noteEmailVerified, takeInvitedName } from './usersStore.ts';

interface Needs extends LoginNeeds, JoiningNeeds {
  passwordTokens: PasswordTokens;
}

interface Accepted {
  tokens: TokenPair;
  entry: { userId: string; organizationId: string };
}

/** Throws `invalid_token`, `rate_limited`. A refused attempt uses up neither the token nor the challenge. */
export async function invitationAccept(args: MutationInvitationAcceptArgs, needs: Needs): Promise<LoggedIn> {
  const { attempts, address, adminPool } = needs;
  const attempt = await attempts.check({ mutation: 'invitationAccept', account: args.token, address });
  try {
    const { tokens, entry } = await inTransaction(adminPool, (transaction) => accept(transaction, args, needs));
    return await finishLogin(tokens, entry, needs);
  } catch (error) {
    if (isAppError(error, 'invalid_token')) await attempt.failed();
    throw error;
  }
}

async function accept(
  transaction: AdminTransaction,
  { token, challenge }: MutationInvitationAcceptArgs,
  needs: Needs,
): Promise<Accepted> {
  const given = { hash: needs.passwordTokens.hashOf(token), now: needs.now() };
  const { id: userId, email, after } = await lockJoiningUser(transaction, challenge, needs);
  const found = await findInvitationOfToken(transaction.prisma, given);
  if (found) await lockMemberships(transaction, [found.organizationId]);
  // Again, because the invitation may have ended while this transaction waited. An invitation is for its address alone.
  const invitation = await findInvitationOfToken(transaction.prisma, given);
  if (invitation?.invitedEmail !== email) throw new AppError('invalid_token', undefined);
  const { id: membershipId, organizationId, invitedName } = invitation;
  await acceptInvitation(transaction, { membershipId, userId, now: given.now });
  await noteEmailVerified(transaction, userId, given.now);
  await takeInvitedName(transaction, userId, invitedName);
  const entry = { userId, organizationId };
  const tokens = await startLogin(transaction, { ...entry, after }, needs);
  if (!tokens) throw new AppError('invalid_token', undefined);
  const line = { action: 'invitationAccept', objectType: 'user', objectId: email } as const;
  await audit(transaction, { organizationId, email }, line);
  return { tokens, entry };
}
