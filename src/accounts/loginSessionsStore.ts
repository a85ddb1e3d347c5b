// The SQL of login sessions and of their refresh tokens, each of which replaces the one before.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { LiveCaller, Role } from '../workspace/caller.ts';

export interface FoundCaller {
  caller: LiveCaller;
  /** The latest generation of the login's tokens that has been presented. */
  usedGeneration: number;
  /** Accurate to a minute. */
  lastUsedAt: Date;
}

/** The user of an access token. Null when the login has ended or the user is no longer active in its organization. */
export async function findLiveCaller(
  connection: SqlConnection,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<FoundCaller | null> {
  const statement = prepared('find_live_caller')`/* accounts: findLiveCaller */
    SELECT u.id, s.organization_id, u.email, m.role, s.used_generation, s.last_used_at
    FROM login_sessions s JOIN users u ON u.id = s.user_id
      JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = s.organization_id
    WHERE s.id = ${sessionId} AND u.id = ${userId} AND s.revoked_at IS NULL AND s.expires_at > ${now}
      AND m.status = 'active'`;
  const { rows } = await connection.query<CallerRow>(statement);
  const row = rows[0];
  if (!row) return null;
  const { organization_id: organizationId, email, role } = row;
  const caller = { userId: row.id, organizationId, email, role, sessionId };
  return { caller, usedGeneration: row.used_generation, lastUsedAt: row.last_used_at };
}

interface CallerRow {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  used_generation: number;
  last_used_at: Date;
}

export async function markGenerationUsed(
  connection: SqlConnection,
  { sessionId, generation }: { sessionId: string; generation: number },
): Promise<void> {
  await connection.query(prepared('mark_generation_used')`/* accounts: markGenerationUsed */
    UPDATE login_sessions SET used_generation = ${generation}
    WHERE id = ${sessionId} AND used_generation < ${generation}`);
}

export interface LoginEntry {
  userId: string;
  organizationId: string;
  /** The hash with which the password was compared. Absent where no password was asked for. */
  passwordHash?: string | undefined;
  now: Date;
}

/**
 * Notes the login in the membership. False when the user now has another password, or is no longer active there. The
 * statements lock both rows, so that a transaction that changes one of them and then ends all sessions also ends this one.
 */
export async function enterOrganization(transaction: Transaction, entry: LoginEntry): Promise<boolean> {
  const { userId, organizationId, passwordHash = null, now } = entry;
  const user = await transaction.query(prepared('lock_user_for_login')`/* accounts: lockUserForLogin */
    SELECT 1 FROM users WHERE id = ${userId} AND (${passwordHash}::text IS NULL OR password_hash = ${passwordHash})
    FOR SHARE`);
  const membership = await transaction.query(prepared('enter_organization')`/* accounts: enterOrganization */
    UPDATE memberships SET last_login_at = ${now}, last_used_at = ${now}
    WHERE user_id = ${userId} AND organization_id = ${organizationId} AND status = 'active'`);
  return user.rowCount === 1 && membership.rowCount === 1;
}

export interface SessionFamily {
  familyId: string;
  expiresAt: Date;
}

/** What a live session hands on to one that begins from it. Null once it has ended. */
export async function findSessionFamily(
  connection: SqlConnection,
  { id, now }: { id: string; now: Date },
): Promise<SessionFamily | null> {
  const statement = prepared('find_session_family')`/* accounts: findSessionFamily */
    SELECT coalesce(family_id, id) AS "familyId", expires_at AS "expiresAt" FROM login_sessions
    WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${now}`;
  const { rows } = await connection.query<SessionFamily>(statement);
  return rows[0] ?? null;
}

export interface NewLoginSession {
  id: string;
  userId: string;
  organizationId: string;
  familyId: string | null;
  now: Date;
  expiresAt: Date;
  userAgent: string | null;
  address: string;
}

export async function insertLoginSession(transaction: Transaction, session: NewLoginSession): Promise<void> {
  const { id, userId, organizationId, familyId, now, expiresAt, userAgent, address } = session;
  await transaction.query(prepared('insert_login_session')`/* accounts: insertLoginSession */
    INSERT INTO login_sessions
      (id, user_id, organization_id, family_id, created_at, expires_at, last_used_at, user_agent, address)
    VALUES (${id}, ${userId}, ${organizationId}, ${familyId}, ${now}, ${expiresAt}, ${now}, ${userAgent}, ${address})`);
}

export interface NewRefreshToken {
  hash: Buffer;
  sessionId: string;
  generation: number;
  now: Date;
  expiresAt: Date;
}

/** A token that is given once more lives from then on. */
export async function insertRefreshToken(transaction: Transaction, token: NewRefreshToken): Promise<void> {
  await transaction.query(prepared('insert_refresh_token')`/* accounts: insertRefreshToken */
    INSERT INTO refresh_tokens (hash, session_id, generation, created_at, expires_at)
    VALUES (${token.hash}, ${token.sessionId}, ${token.generation}, ${token.now}, ${token.expiresAt})
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`);
}

export async function isRefreshToken(connection: SqlConnection, hash: Buffer): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_refresh_token')`/* accounts: isRefreshToken */
    SELECT FROM refresh_tokens WHERE hash = ${hash}`);
  return rowCount === 1;
}

export interface PresentedRefreshToken {
  sessionId: string;
  userId: string;
  organizationId: string;
  /** False once the login has ended or the user is not active in its organization. */
  live: boolean;
  sessionExpiresAt: Date;
  /** The latest generation of the login's tokens that has been presented. */
  usedGeneration: number;
  generation: number;
  expiresAt: Date;
  usedAt: Date | null;
}

/** Locks the login session, so that the second of two requests with one token sees what the first has stored. */
export async function lockRefreshToken(
  transaction: Transaction,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<PresentedRefreshToken | null> {
  const session = prepared('lock_refresh_token')`/* accounts: lockRefreshToken */
    WITH session AS MATERIALIZED (
      SELECT s.* FROM login_sessions s
      WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE hash = ${hash}) FOR UPDATE
    )
    SELECT s.id AS "sessionId", s.user_id AS "userId", s.organization_id AS "organizationId",
      s.expires_at AS "sessionExpiresAt", s.used_generation AS "usedGeneration",
      s.revoked_at IS NULL AND s.expires_at > ${now} AND m.status = 'active' AS live
    FROM session s JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = s.organization_id`;
  const { rows } = await transaction.query<PresentedRefreshToken>(session);
  if (!rows[0]) return null;
  // A separate statement, because a statement sees the rows as they were before it waited for the lock.
  const token = prepared('find_refresh_token')`/* accounts: findRefreshToken */
    SELECT generation, expires_at AS "expiresAt", used_at AS "usedAt" FROM refresh_tokens WHERE hash = ${hash}`;
  const tokens = await transaction.query<Pick<PresentedRefreshToken, 'generation' | 'expiresAt' | 'usedAt'>>(token);
  return { ...rows[0], ...tokens.rows[0]! };
}

export async function markRefreshTokenUsed(
  transaction: Transaction,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await transaction.query(prepared('mark_refresh_token_used')`/* accounts: markRefreshTokenUsed */
    UPDATE refresh_tokens SET used_at = ${now} WHERE hash = ${hash}`);
}

/** Ends a login with its refresh tokens and, from the next request on, its access tokens. */
export async function revokeLoginSession(
  transaction: Transaction,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_login_session')`/* accounts: revokeLoginSession */
    UPDATE login_sessions SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL`);
}

/** Ends a login, all those that began from it, and those from which it began. The caller has locked the user's row. */
export async function revokeSessionFamily(
  transaction: Transaction,
  { id, userId, now }: { id: string; userId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_session_family')`/* accounts: revokeSessionFamily */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE user_id = ${userId} AND revoked_at IS NULL AND coalesce(family_id, id) = (
      SELECT coalesce(family_id, id) FROM login_sessions WHERE id = ${id})`);
}

/** Ends every login of a user. The caller has locked the user's row, so that no login begins meanwhile. */
export async function revokeLoginSessions(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_login_sessions')`/* accounts: revokeLoginSessions */
    UPDATE login_sessions SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL`);
}

/** Ends every login of a user in one organization. The caller has locked the membership, so that no login begins meanwhile. */
export async function revokeSessionsIn(
  transaction: Transaction,
  { userId, organizationId, now }: { userId: string; organizationId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_sessions_in')`/* accounts: revokeSessionsIn */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE user_id = ${userId} AND organization_id = ${organizationId} AND revoked_at IS NULL`);
}

/**
 * Deletes expired sessions, after their tokens. Tokens have batches of their own, because a session has one token for
 * each refresh of 90 days, and a client can make many. Returns the number of deleted rows of both.
 */
export async function deleteExpiredLoginSessions(connection: SqlConnection, batchSize = 1_000): Promise<number> {
  const tokens = await deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteTokensOfExpiredSessions */
      DELETE FROM refresh_tokens WHERE hash IN (
        SELECT t.hash FROM refresh_tokens AS t JOIN login_sessions AS s ON s.id = t.session_id
        WHERE s.expires_at < now() - interval '1 day' LIMIT ${size} FOR UPDATE OF t SKIP LOCKED)`,
    batchSize,
  );
  const sessions = await deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredLoginSessions */
      DELETE FROM login_sessions WHERE id IN (
        SELECT id FROM login_sessions WHERE expires_at < now() - interval '1 day'
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
  return tokens + sessions;
}
