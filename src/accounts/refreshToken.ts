// mutation refreshToken: exchanges a refresh token for its one successor and a new access token.
import type { Pool } from 'pg';
import type { MutationRefreshTokenArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';
import type { Attempts } from './attempts.ts';
import {
  insertRefreshToken,
  isRefreshToken,
  lockRefreshToken,
  markRefreshTokenUsed,
  revokeLoginSession,
  type PresentedRefreshToken,
} from './loginSessionsStore.ts';
import { noteSessionUse } from './ownSessionsStore.ts';
import type { RefreshTokens } from './refreshTokens.ts';
import { idleMillis, loggedIn, type LoggedIn, type LoginDeps } from './startLogin.ts';
import { findUser } from './usersStore.ts';

/** A second use within this time is a second browser tab. A later use is a thief's, or the victim's after a theft. */
const graceMillis = 30_000;

interface Needs extends LoginDeps {
  adminPool: Pool;
  prisma: PrismaClient;
  attempts: Attempts;
  address: string;
  loaders: WorkspaceLoaders;
}

interface Exchanged {
  userId: string;
  sessionId: string;
  successor: string;
}

/** Throws `invalid_token`, `rate_limited`. */
export async function refreshToken({ token }: MutationRefreshTokenArgs, needs: Needs): Promise<LoggedIn> {
  await needs.attempts({ mutation: 'refreshToken', account: token, address: needs.address });
  const at = needs.now();
  // Throws only after the commit: inside the transaction an error would undo the revocation.
  const exchanged = await inTransaction(needs.adminPool, (transaction) => exchange(transaction, { token, at }, needs));
  const user = exchanged && (await findUser(needs.prisma, exchanged.userId));
  if (!user) throw new AppError('invalid_token', undefined);
  const accessToken = await needs.accessTokens.issue(exchanged, at);
  const organization = await needs.loaders.organization.load(user.organizationId);
  return loggedIn({ token: accessToken, refreshToken: exchanged.successor }, user, organization);
}

async function exchange(
  transaction: Transaction,
  { token, at }: { token: string; at: Date },
  { refreshTokens }: LoginDeps,
): Promise<Exchanged | null> {
  const hash = refreshTokens.hashOf(token);
  const presented = await lockRefreshToken(transaction, { hash, now: at });
  if (!presented?.live) return null;
  const verdict = judge(presented, at);
  if (verdict === 'stolen') await revokeLoginSession(transaction, { id: presented.sessionId, now: at });
  if (verdict === 'stolen' || verdict === 'expired') return null;
  if (verdict === 'first use') await markRefreshTokenUsed(transaction, { hash, now: at });
  const successor = await chooseSuccessor(transaction, refreshTokens, token);
  const expiresAt = new Date(Math.min(at.getTime() + idleMillis, presented.sessionExpiresAt.getTime()));
  const { sessionId, userId } = presented;
  await insertRefreshToken(transaction, { hash: refreshTokens.hashOf(successor), sessionId, now: at, expiresAt });
  await noteSessionUse(transaction, { id: sessionId, now: at });
  return { userId, sessionId, successor };
}

/** During a key rotation, another process may have derived the first tab's successor under another key. */
async function chooseSuccessor(transaction: Transaction, refreshTokens: RefreshTokens, token: string): Promise<string> {
  for (const candidate of refreshTokens.otherSuccessorsOf(token)) {
    if (await isRefreshToken(transaction, refreshTokens.hashOf(candidate))) return candidate;
  }
  return refreshTokens.successorOf(token);
}

function judge({ usedAt, expiresAt }: PresentedRefreshToken, at: Date) {
  if (usedAt && at.getTime() > usedAt.getTime() + graceMillis) return 'stolen';
  if (usedAt) return 'second tab';
  return expiresAt > at ? 'first use' : 'expired';
}
