// The SQL of login sessions and of the refresh tokens that follow one another in each.
import type { Pool } from 'pg';
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Caller, Role } from '../workspace/caller.ts';

/** The user behind an access token, unless the login has ended or the user is not active any more. */
export async function findLiveCaller(
  pool: Pool,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<Caller | null> {
  const { rows } = await pool.query<{ id: string; organization_id: string; email: string; role: Role }>({
    name: 'find_live_caller',
    text: `/* accounts: findLiveCaller */
      SELECT u.id, u.organization_id, u.email, u.role
      FROM login_sessions s JOIN users u ON u.id = s.user_id
      WHERE s.id = $1 AND u.id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3 AND u.status = 'active'`,
    values: [sessionId, userId, now],
  });
  const row = rows[0];
  return row ? { userId: row.id, organizationId: row.organization_id, email: row.email, role: row.role } : null;
}

export interface NewLoginSession {
  id: string;
  userId: string;
  /** The hash that the password was compared with. */
  passwordHash: string;
  now: Date;
  expiresAt: Date;
}

/**
 * False when the user is no longer active or has another password by now. The user's row is locked, so that whoever
 * changes it and then ends all sessions also ends this one.
 */
export async function insertLoginSession(transaction: Transaction, session: NewLoginSession): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: 'insert_login_session',
    text: `/* accounts: insertLoginSession */
      INSERT INTO login_sessions (id, user_id, created_at, expires_at)
      SELECT $1, u.id, $4, $5
      FROM (SELECT id FROM users WHERE id = $2 AND status = 'active' AND password_hash = $3 FOR SHARE) u`,
    values: [session.id, session.userId, session.passwordHash, session.now, session.expiresAt],
  });
  return rowCount === 1;
}

export interface NewRefreshToken {
  hash: Buffer;
  sessionId: string;
  now: Date;
  expiresAt: Date;
}

/** A token that is stored already is left as it is. */
export async function insertRefreshToken(transaction: Transaction, token: NewRefreshToken): Promise<void> {
  await transaction.query({
    name: 'insert_refresh_token',
    text: `/* accounts: insertRefreshToken */
      INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING`,
    values: [token.hash, token.sessionId, token.now, token.expiresAt],
  });
}

export async function isRefreshToken(client: SqlConnection, hash: Buffer): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is_refresh_token',
    text: '/* accounts: isRefreshToken */ SELECT FROM refresh_tokens WHERE hash = $1',
    values: [hash],
  });
  return rowCount === 1;
}

export interface PresentedRefreshToken {
  sessionId: string;
  userId: string;
  /** False once the login has ended or the user is not active. */
  live: boolean;
  sessionExpiresAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

/** Locks the login session: of two requests with one token the second sees what the first has made of it. */
export async function lockRefreshToken(
  transaction: Transaction,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<PresentedRefreshToken | null> {
  const { rows } = await transaction.query<PresentedRefreshToken>({
    name: 'lock_refresh_token',
    text: `/* accounts: lockRefreshToken */
      WITH session AS MATERIALIZED (
        SELECT s.* FROM login_sessions s
        WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE hash = $1) FOR UPDATE
      )
      SELECT s.id AS "sessionId", s.user_id AS "userId", s.expires_at AS "sessionExpiresAt",
        s.revoked_at IS NULL AND s.expires_at > $2 AND u.status = 'active' AS live
      FROM session s JOIN users u ON u.id = s.user_id`,
    values: [hash, now],
  });
  if (!rows[0]) return null;
  // Its own statement, because one statement sees the rows as they were before it waited for the lock.
  const tokens = await transaction.query<Pick<PresentedRefreshToken, 'expiresAt' | 'usedAt'>>({
    name: 'find_refresh_token',
    text: `/* accounts: findRefreshToken */
      SELECT expires_at AS "expiresAt", used_at AS "usedAt" FROM refresh_tokens WHERE hash = $1`,
    values: [hash],
  });
  return { ...rows[0], ...tokens.rows[0]! };
}

export async function markRefreshTokenUsed(
  transaction: Transaction,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await transaction.query({
    name: 'mark_refresh_token_used',
    text: '/* accounts: markRefreshTokenUsed */ UPDATE refresh_tokens SET used_at = $2 WHERE hash = $1',
    values: [hash, now],
  });
}

/** Ends a login: its refresh tokens and, from the next request on, its access tokens. */
export async function revokeLoginSession(
  transaction: Transaction,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await transaction.query({
    name: 'revoke_login_session',
    text: `/* accounts: revokeLoginSession */
      UPDATE login_sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`,
    values: [id, now],
  });
}

/** Ends every login of a user. Whoever calls it holds the user's row, so that no login begins unseen. */
export async function revokeLoginSessions(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await transaction.query({
    name: 'revoke_login_sessions',
    text: `/* accounts: revokeLoginSessions */
      UPDATE login_sessions SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`,
    values: [userId, now],
  });
}

/**
 * Sessions past their end are of no use to anybody, and neither are their tokens, which go first: a session has one for
 * each refresh of 90 days, and whoever wants to makes many. Answers how many rows of both there were.
 */
export async function deleteExpiredLoginSessions(pool: SqlConnection, batchSize = 1_000): Promise<number> {
  const tokens = await deleteInBatches(
    pool,
    `/* accounts: deleteTokensOfExpiredSessions */
      DELETE FROM refresh_tokens WHERE hash IN (
        SELECT t.hash FROM refresh_tokens AS t JOIN login_sessions AS s ON s.id = t.session_id
        WHERE s.expires_at < now() - interval '1 day' LIMIT $1 FOR UPDATE OF t SKIP LOCKED)`,
    batchSize,
  );
  const sessions = await deleteInBatches(
    pool,
    `/* accounts: deleteExpiredLoginSessions */
      DELETE FROM login_sessions WHERE id IN (
        SELECT id FROM login_sessions WHERE expires_at < now() - interval '1 day'
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
  return tokens + sessions;
}
