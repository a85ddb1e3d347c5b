// Turns an Authorization header into the caller: a service token, or an access token with its login session and user.
import { createHash, randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Pool } from 'pg';
import { inLane } from '../platform/concurrencyLimiter.ts';
import { deleteInBatches, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { keyIdOf } from '../platform/encryption.ts';
import { isUuid } from '../platform/inputRules.ts';
import type { LiveCaller, Role } from '../workspace/workspace.ts';
import { findServiceCaller, noteServiceTokenUse } from './serviceTokens.ts';

export interface AuthenticationDeps {
  adminPool: Pool;
  accessTokens: AccessTokens;
  now(): Date;
}

/** Null without a valid bearer. Rejects when the database is away, because an outage must log nobody out. */
export async function authenticate(
  authorization: string | undefined,
  { adminPool, accessTokens, now }: AuthenticationDeps,
): Promise<LiveCaller | null> {
  const token = bearerOf(authorization);
  if (token !== null && isServiceToken(token)) return ofServiceToken(token, { adminPool, now });
  const claims = token === null ? null : await accessTokens.read(token, now());
  // The look-ups of a user who floods wait behind each other, and not before everybody's. A user may have many logins.
  return claims && inLane(claims.userId, () => ofLoginSession(claims, { adminPool, now }));
}

async function ofLoginSession(
  claims: Required<AccessTokenClaims>,
  { adminPool, now }: Pick<AuthenticationDeps, 'adminPool' | 'now'>,
): Promise<LiveCaller | null> {
  const found = await findLiveCaller(adminPool, { ...claims, now: now() });
  if (!found) return null;
  const { caller, usedGeneration, lastUsedAt } = found;
  // Once for each refresh: from now on the refresh token before it must not come again (refreshToken.ts).
  if (claims.generation > usedGeneration) await markGenerationUsed(adminPool, claims);
  const at = now();
  if (isDue(lastUsedAt, at)) await noteSessionUse(adminPool, { id: caller.sessionId, now: at });
  return caller;
}

async function ofServiceToken(
  token: string,
  { adminPool, now }: Pick<AuthenticationDeps, 'adminPool' | 'now'>,
): Promise<LiveCaller | null> {
  const at = now();
  const found = await findServiceCaller(adminPool, { hash: hashOfServiceToken(token), now: at });
  if (!found) return null;
  if (!found.lastUsedAt || isDue(found.lastUsedAt, at)) {
    await noteServiceTokenUse(adminPool, { id: found.caller.userId, now: at });
  }
  return found.caller;
}

/** schema.graphql promises that both kinds of `lastUsedAt` are accurate to a minute, so most requests write nothing. */
const noteEveryMillis = 60_000;

function isDue(lastUsedAt: Date, at: Date): boolean {
  return at.getTime() - lastUsedAt.getTime() >= noteEveryMillis;
}

// Reads the bearer token out of an Authorization header (RFC 6750, 2.1).

// The scheme's name is case-insensitive (RFC 9110, 11.1); the token's characters are those of token68.
const form = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Null without a header, or when the header has another form. */
export function bearerOf(authorization: string | undefined): string | null {
  return form.exec(authorization ?? '')?.[1] ?? null;
}

// Issues and reads access tokens: a JWT that names a user and the login session (schema.graphql, "Tokens").

export interface AccessTokenClaims {
  userId: string;
  sessionId: string;
  /** How many refreshes of the login lie before the token; absent means none. */
  generation?: number;
}

export interface AccessTokens {
  issue(claims: AccessTokenClaims, now: Date): Promise<string>;
  /** Null unless this service has issued the token and the token is valid at `now`. */
  read(token: string, now: Date): Promise<Required<AccessTokenClaims> | null>;
}

const accessTokenLifetimeSeconds = 90 * 60;
const shortestKey = 32;
const header = { alg: 'HS256', typ: 'at+jwt' };

/** The first key signs, all keys verify. Throws for a key below 32 bytes, because the library would sign with it. */
export function createAccessTokens(current: Buffer, ...older: Buffer[]): AccessTokens {
  const keys = new Map([current, ...older].map((key) => [keyNameOf(key), key]));
  const kid = keyNameOf(current);
  return {
    issue({ userId, sessionId, generation = 0 }, now) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT({ sid: sessionId, gen: generation })
        .setProtectedHeader({ ...header, kid })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + accessTokenLifetimeSeconds)
        .sign(current);
    },
    async read(token, now) {
      const verified = await verify(token, keys, now);
      if (!verified) return null;
      // A token of an earlier version names no generation.
      const { sub, sid, gen = 0 } = verified.payload;
      return isId(sub) && isId(sid) ? { userId: sub, sessionId: sid, generation: Number(gen) } : null;
    },
  };
}

/** The ids in the database are UUIDs. PostgreSQL would reject a look-up with any other text. */
function isId(claim: unknown): claim is string {
  return typeof claim === 'string' && isUuid(claim);
}

/** Names the key without revealing it. A token of an unknown key is refused before its signature is verified. */
function keyNameOf(key: Buffer): string {
  if (key.length < shortestKey) throw new Error(`TOKEN_KEY must have at least ${shortestKey} bytes`);
  return keyIdOf(key, 'access token key id').toString('base64url');
}

/** `exp` is required here, because the library accepts a token without `exp` for ever. */
function verify(token: string, keys: Map<string, Buffer>, now: Date) {
  const rules = {
    algorithms: [header.alg],
    typ: header.typ,
    requiredClaims: ['exp', 'sub', 'sid'],
    currentDate: now,
  };
  const keyOf = ({ kid = '' }: { kid?: string }): Buffer => {
    const key = keys.get(kid);
    if (!key) throw new Error('the token names no key of ours');
    return key;
  };
  return jwtVerify(token, keyOf, rules).catch(() => null);
}

// The form of service tokens: a prefix that secret scanners can grep for and 256 random bits. Only the hash is stored.

const prefix = 'svc_';

export function newServiceToken(): { token: string; hash: Buffer } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, hash: hashOfServiceToken(token) };
}

/** By its prefix, which no access token has: that is a JWT and begins with `ey`. */
export function isServiceToken(token: string): boolean {
  return token.startsWith(prefix);
}

/** One SHA-256: 256 random bits cannot be guessed from it, unlike a password. */
export function hashOfServiceToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

// The SQL of login sessions and of their refresh tokens, each of which replaces the one before.

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

// The SQL with which a user sees and ends their own login sessions.

/** Notes it in the membership too. Never waits: while another transaction holds the row, it is being used or ended there. */
export async function noteSessionUse(connection: SqlConnection, { id, now }: { id: string; now: Date }): Promise<void> {
  await connection.query(prepared('note_session_use')`/* accounts: noteSessionUse */
    WITH session AS (
      UPDATE login_sessions SET last_used_at = ${now} WHERE id = (
        SELECT id FROM login_sessions WHERE id = ${id} AND last_used_at < ${now} FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING user_id, organization_id
    )
    UPDATE memberships SET last_used_at = ${now} WHERE id = (
      SELECT m.id FROM memberships m JOIN session s ON s.user_id = m.user_id AND s.organization_id = m.organization_id
      FOR NO KEY UPDATE OF m SKIP LOCKED)`);
}

export interface OwnSession {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
  userAgent: string | null;
  address: string | null;
}

/** The latest login first. */
export async function findOwnSessions(
  connection: SqlConnection,
  { userId, now, usedSince, limit }: { userId: string; now: Date; usedSince: Date; limit: number },
): Promise<OwnSession[]> {
  const statement = prepared('find_own_sessions')`/* accounts: findOwnSessions */
    SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent", address
    FROM login_sessions
    WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now} AND last_used_at > ${usedSince}
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const { rows } = await connection.query<OwnSession>(statement);
  return rows;
}

/** False where the user has no such live session. */
export async function revokeOwnSession(
  transaction: Transaction,
  { userId, id, now }: { userId: string; id: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('revoke_own_session')`/* accounts: revokeOwnSession */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}`);
  return rowCount === 1;
}

/** Ends every login of a user but one. The caller has locked the user's row, so that no login begins meanwhile. */
export async function revokeOtherSessions(
  transaction: Transaction,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_other_sessions')`/* accounts: revokeOtherSessions */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE user_id = ${userId} AND id <> ${sessionId} AND revoked_at IS NULL`);
}

/**
 * Makes room for one more login of a user who has as many as `most`: removes the ended ones, and then those that were used
 * least lately, with their refresh tokens. A row that another transaction holds stays for the next login.
 */
export async function removeLeastUsed(
  transaction: Transaction,
  { userId, most, now }: { userId: string; most: number; now: Date },
): Promise<void> {
  await transaction.query(prepared('remove_least_used')`/* accounts: removeLeastUsed */
    DELETE FROM login_sessions WHERE id IN (
      SELECT id FROM login_sessions WHERE id IN (
        SELECT id FROM login_sessions WHERE user_id = ${userId}
        ORDER BY revoked_at IS NULL AND expires_at > ${now} DESC, last_used_at DESC, id DESC OFFSET ${most} - 1)
      LIMIT 1000 FOR UPDATE SKIP LOCKED)`);
}
