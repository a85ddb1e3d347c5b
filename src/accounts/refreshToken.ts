// mutation refreshToken: exchanges a refresh token for its one successor and a new access token.
import type { MutationRefreshTokenArgs } from '../../generated/graphql.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Attempts } from './attempts.ts';
import {
  finishLogin,
  type FinishNeeds,
  idleMillis,
  type LoggedIn,
  type LoginDeps,
  type RefreshTokens,
} from './startLogin.ts';
import {
  insertRefreshToken,
  isRefreshToken,
  lockRefreshToken,
  markGenerationUsed,
  markRefreshTokenUsed,
  noteSessionUse,
  type PresentedRefreshToken,
  revokeSessionFamily,
} from './authenticate.ts';
import { lockUser } from './usersStore.ts';

/** A second use within this time is a second browser tab. */
const graceMillis = 30_000;
/** Of one login. Each stays in the table until the login's end, to recognize a stolen one. */
const mostRefreshes = 5_000;

interface Needs extends FinishNeeds, LoginDeps {
  attempts: Attempts;
  address: string;
}

interface Exchanged {
  userId: string;
  organizationId: string;
  sessionId: string;
  successor: string;
  /** That of the successor. */
  generation: number;
}

/** Throws `invalid_token`, `rate_limited`. */
export async function refreshToken({ token }: MutationRefreshTokenArgs, needs: Needs): Promise<LoggedIn> {
  const attempt = await needs.attempts.check({ mutation: 'refreshToken', account: token, address: needs.address });
  const at = needs.now();
  const exchanged = await inTransaction(needs.adminPool, (transaction) => exchange(transaction, { token, at }, needs));
  if (exchanged === null || 'stolenFrom' in exchanged) {
    if (exchanged) await endFamily(exchanged.stolenFrom, at, needs);
    await attempt.failed();
    throw new AppError('invalid_token', undefined);
  }
  const accessToken = await needs.accessTokens.issue(exchanged, at);
  return finishLogin({ token: accessToken, refreshToken: exchanged.successor }, exchanged, needs);
}

async function exchange(
  transaction: Transaction,
  { token, at }: { token: string; at: Date },
  { refreshTokens }: LoginDeps,
): Promise<Exchanged | { stolenFrom: PresentedRefreshToken } | null> {
  const hash = refreshTokens.hashOf(token);
  const presented = await lockRefreshToken(transaction, { hash, now: at });
  if (!presented?.live) return null;
  const verdict = judge(presented, at);
  if (verdict === 'stolen') return { stolenFrom: presented };
  if (verdict === 'expired') return null;
  if (verdict === 'first use') {
    await markRefreshTokenUsed(transaction, { hash, now: at });
    await markGenerationUsed(transaction, presented);
  }
  const successor = await chooseSuccessor(transaction, refreshTokens, token);
  const expiresAt = new Date(Math.min(at.getTime() + idleMillis, presented.sessionExpiresAt.getTime()));
  const { sessionId, userId, organizationId } = presented;
  const generation = presented.generation + 1;
  const successorHash = refreshTokens.hashOf(successor);
  await insertRefreshToken(transaction, { hash: successorHash, sessionId, generation, now: at, expiresAt });
  await noteSessionUse(transaction, { id: sessionId, now: at });
  return { userId, organizationId, sessionId, successor, generation };
}

/** In a transaction of its own, because the lock of a user comes before those of their sessions. */
function endFamily(
  { userId, sessionId: id }: PresentedRefreshToken,
  now: Date,
  { adminPool }: Pick<Needs, 'adminPool'>,
): Promise<void> {
  return inTransaction(adminPool, async (transaction) => {
    // No session begins from one of the family meanwhile.
    await lockUser(transaction, userId);
    await revokeSessionFamily(transaction, { id, userId, now });
  });
}

/** During a key rotation, another process may have derived the first tab's successor under another key. */
async function chooseSuccessor(transaction: Transaction, refreshTokens: RefreshTokens, token: string): Promise<string> {
  for (const candidate of refreshTokens.otherSuccessorsOf(token)) {
    if (await isRefreshToken(transaction, refreshTokens.hashOf(candidate))) return candidate;
  }
  return refreshTokens.successorOf(token);
}

/**
 * A later use is a thief's, or the victim's after a theft, but only when a token of the successor has been presented.
 * Until then nobody has the successor: the reply to the first use was lost, and the client retries.
 */
function judge({ usedAt, expiresAt, generation, usedGeneration }: PresentedRefreshToken, at: Date) {
  if (!usedAt) return expiresAt > at && generation < mostRefreshes ? 'first use' : 'expired';
  const sinceUse = at.getTime() - usedAt.getTime();
  if (sinceUse <= graceMillis) return 'second tab';
  if (usedGeneration > generation) return 'stolen';
  return sinceUse < idleMillis ? 'lost reply' : 'expired';
}
