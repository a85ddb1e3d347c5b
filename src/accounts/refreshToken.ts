// mutation refreshToken: exchanges a refresh token for its one successor and a new access token.
import type { MutationRefreshTokenArgs } from '../../generated/graphql.ts';
import { prepared } from '../platform/database/sql.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { insertRefreshToken, markGenerationUsed, noteSessionUse, revokeLoginSessions } from './authenticate.ts';
import { finishLogin, idleMillis, type LoggedIn, type LoginNeeds, type RefreshTokens } from './startLogin.ts';
import { lockUser } from './usersStore.ts';

/** A second use within this time is a second browser tab. */
const graceMillis = 30_000;
/** Of one login. Each stays in the table until the login's end, to recognize a stolen one. */
const mostRefreshes = 5_000;

interface Exchanged {
  userId: string;
  organizationId: string;
  sessionId: string;
  successor: string;
  /** That of the successor. */
  generation: number;
}

/** Throws `invalid_token`, `rate_limited`. */
export async function refreshToken({ token }: MutationRefreshTokenArgs, needs: LoginNeeds): Promise<LoggedIn> {
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
  transaction: AdminTransaction,
  { token, at }: { token: string; at: Date },
  { refreshTokens }: LoginNeeds,
): Promise<Exchanged | { stolenFrom: PresentedRefreshToken } | null> {
  const hash = refreshTokens.hashOf(token);
  const presented = await lockRefreshToken(transaction, { hash, now: at });
  if (!presented?.live) return null;
  const verdict = judge(presented, at);
  if (verdict === 'stolen') return { stolenFrom: presented };
  if (verdict === 'expired') return null;
  if (verdict === 'first use') {
    await transaction.prisma.refreshToken.updateMany({ where: { hash }, data: { usedAt: at } });
    await markGenerationUsed(transaction.prisma, presented);
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

/** Ends the login, all those that began from it, and those from which it began. In a transaction of its own, because the lock of a user comes before those of their sessions. */
function endFamily(
  { userId, familyId }: PresentedRefreshToken,
  now: Date,
  { adminPool }: Pick<LoginNeeds, 'adminPool'>,
): Promise<void> {
  return inTransaction(adminPool, async (transaction) => {
    // No session begins from one of the family meanwhile.
    await lockUser(transaction, userId);
    await revokeLoginSessions(transaction, { userId, OR: [{ id: familyId }, { familyId }] }, now);
  });
}

/** During a key rotation, another process may have derived the first tab's successor under another key. */
async function chooseSuccessor(
  transaction: AdminTransaction,
  refreshTokens: RefreshTokens,
  token: string,
): Promise<string> {
  for (const candidate of refreshTokens.otherSuccessorsOf(token)) {
    const where = { hash: refreshTokens.hashOf(candidate) };
    if ((await transaction.prisma.refreshToken.count({ where })) > 0) return candidate;
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

interface PresentedRefreshToken {
  sessionId: string;
  userId: string;
  organizationId: string;
  /** The first of the sessions that began one from the other. */
  familyId: string;
  /** False once the login has ended or the user is not active in its organization. */
  live: boolean;
  sessionExpiresAt: Date;
  /** The latest generation of the login's tokens that has been presented. */
  usedGeneration: number;
  generation: number;
  expiresAt: Date;
  usedAt: Date | null;
}

/** SQL, because it locks the login session, so that the second of two requests with one token sees what the first has stored. */
async function lockRefreshToken(
  transaction: AdminTransaction,
  { hash, now }: { hash: Buffer<ArrayBuffer>; now: Date },
): Promise<PresentedRefreshToken | null> {
  const session = prepared('lock_refresh_token')`/* accounts: lockRefreshToken */
    WITH session AS MATERIALIZED (
      SELECT s.* FROM login_sessions s
      WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE hash = ${hash}) FOR UPDATE
    )
    SELECT s.id AS "sessionId", s.user_id AS "userId", s.organization_id AS "organizationId",
      coalesce(s.family_id, s.id) AS "familyId", s.expires_at AS "sessionExpiresAt", s.used_generation AS "usedGeneration",
      s.revoked_at IS NULL AND s.expires_at > ${now} AND m.status = 'active' AS live
    FROM session s JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = s.organization_id`;
  const { rows } = await transaction.query<Omit<PresentedRefreshToken, 'generation' | 'expiresAt' | 'usedAt'>>(session);
  if (!rows[0]) return null;
  // A separate statement, because a statement sees the rows as they were before it waited for the lock.
  const token = await transaction.prisma.refreshToken.findUniqueOrThrow({
    where: { hash },
    select: { generation: true, expiresAt: true, usedAt: true },
  });
  return { ...rows[0], ...token };
}
