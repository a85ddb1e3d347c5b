// Turns an Authorization header into the caller: by a service token, or by an access token with its login session, which this file begins and ends.
import { randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Prisma } from '../../generated/prisma/client.ts';
import { inLane } from '../platform/concurrencyLimiter.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminPool, AdminTransaction, PrismaModels, Transaction } from '../platform/database/transaction.ts';
import { keyIdOf } from '../platform/encryption.ts';
import { isUuid } from '../platform/inputRules.ts';
import type { Caller, LiveCaller } from '../workspace/workspace.ts';
import { hashOfToken } from './mailedTokens.ts';
import type { ServiceTokenRecord } from './serviceTokens.ts';

interface Needs {
  adminPool: AdminPool;
  accessTokens: AccessTokens;
  now(): Date;
}

/** Null without a valid bearer. Rejects when the database is away, because an outage must log nobody out. */
export async function authenticate(authorization: string | undefined, needs: Needs): Promise<LiveCaller | null> {
  const token = bearerOf(authorization);
  if (token === null) return null;
  if (isServiceToken(token)) return ofServiceToken(token, needs);
  const claims = await needs.accessTokens.read(token, needs.now());
  // The look-ups of a user who floods wait behind each other, and not before everybody's. A user may have many logins.
  return claims && inLane(claims.userId, () => ofLoginSession(claims, needs));
}

async function ofLoginSession(
  claims: Required<AccessTokenClaims>,
  { adminPool, now }: Needs,
): Promise<LiveCaller | null> {
  const found = await findLiveCaller(adminPool, { ...claims, now: now() });
  if (!found) return null;
  const { usedGeneration, lastUsedAt, ...user } = found;
  // Once for each refresh: from now on the refresh token before it must not come again (refreshToken.ts).
  if (claims.generation > usedGeneration) await markGenerationUsed(adminPool.prisma, claims);
  const at = now();
  if (isDue(lastUsedAt, at)) await noteSessionUse(adminPool, { id: claims.sessionId, now: at });
  return { ...user, sessionId: claims.sessionId };
}

async function ofServiceToken(token: string, { adminPool, now }: Needs): Promise<LiveCaller | null> {
  const at = now();
  const found = await findServiceToken(adminPool, { hash: hashOfToken(token), now: at });
  if (!found) return null;
  const { id, organizationId, name, role, applicationIds, lastUsedAt } = found;
  if (!lastUsedAt || isDue(lastUsedAt, at)) {
    const where = { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: at } }] };
    await adminPool.prisma.serviceToken.updateMany({ where, data: { lastUsedAt: at } });
  }
  const caller = { userId: id, sessionId: id, organizationId, role, email: `service token: ${name}` };
  return { ...caller, service: { applicationIds } };
}

/** schema.graphql promises that both kinds of `lastUsedAt` are accurate to a minute, so most requests write nothing. */
const noteEveryMillis = 60_000;

function isDue(lastUsedAt: Date, at: Date): boolean {
  return at.getTime() - lastUsedAt.getTime() >= noteEveryMillis;
}

// The scheme's name is case-insensitive (RFC 9110, 11.1); the token's characters are those of token68.
const form = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** RFC 6750, 2.1. Null without a header, or when the header has another form. */
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

export function newServiceToken(): { token: string; hash: Buffer<ArrayBuffer> } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
}

/** By its prefix, which no access token has: that is a JWT and begins with `ey`. */
function isServiceToken(token: string): boolean {
  return token.startsWith(prefix);
}

// Login sessions and their refresh tokens, each of which replaces the one before.

interface KnownCaller extends Caller {
  /** The latest generation of the login's tokens that has been presented. */
  usedGeneration: number;
  /** Accurate to a minute. */
  lastUsedAt: Date;
}

/**
 * SQL, because every request needs it: one statement. The user of an access token. Null when the login has ended or the
 * user is no longer active in its organization.
 */
async function findLiveCaller(
  connection: SqlConnection,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<KnownCaller | null> {
  const statement = prepared('find_live_caller')`/* accounts: findLiveCaller */
    SELECT u.id AS "userId", s.organization_id AS "organizationId", u.email, m.role,
      s.used_generation AS "usedGeneration", s.last_used_at AS "lastUsedAt"
    FROM login_sessions s JOIN users u ON u.id = s.user_id
      JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = s.organization_id
    WHERE s.id = ${sessionId} AND u.id = ${userId} AND s.revoked_at IS NULL AND s.expires_at > ${now}
      AND m.status = 'active'`;
  const { rows } = await connection.query<KnownCaller>(statement);
  return rows[0] ?? null;
}

type KnownServiceToken = Omit<ServiceTokenRecord, 'createdAt' | 'createdBy' | 'expiresAt'> & { organizationId: string };

/** SQL, because each request of a service token needs it. So a revoked or expired token ends at once on every process. */
async function findServiceToken(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<KnownServiceToken | null> {
  const statement = prepared('find_service_caller')`/* accounts: findServiceCaller */
    SELECT id, organization_id AS "organizationId", name, role::text AS role, application_ids AS "applicationIds",
      last_used_at AS "lastUsedAt"
    FROM service_tokens
    WHERE hash = ${hash} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;
  const { rows } = await connection.query<KnownServiceToken>(statement);
  return rows[0] ?? null;
}

export async function markGenerationUsed(
  prisma: PrismaModels,
  { sessionId, generation }: { sessionId: string; generation: number },
): Promise<void> {
  const where = { id: sessionId, usedGeneration: { lt: generation } };
  await prisma.loginSession.updateMany({ where, data: { usedGeneration: generation } });
}

/**
 * SQL, because it locks. Notes the login in the membership. False when the user now has another password, or is no longer
 * active there. The statements lock both rows, so that a transaction that changes one of them and then ends all sessions
 * also ends this one. `passwordHash` is the hash with which the password was compared; absent where none was asked for.
 */
export async function enterOrganization(
  transaction: AdminTransaction,
  entry: { userId: string; organizationId: string; passwordHash?: string | undefined; now: Date },
): Promise<boolean> {
  const { userId, organizationId, passwordHash = null, now } = entry;
  const user = await transaction.query(prepared('lock_user_for_login')`/* accounts: lockUserForLogin */
    SELECT 1 FROM users WHERE id = ${userId} AND (${passwordHash}::text IS NULL OR password_hash = ${passwordHash})
    FOR SHARE`);
  const { count } = await transaction.prisma.membership.updateMany({
    where: { userId, organizationId, status: 'active' },
    data: { lastLoginAt: now, lastUsedAt: now },
  });
  return user.rowCount === 1 && count === 1;
}

/** SQL, because it inserts or updates: a token that is given once more lives from then on. */
export async function insertRefreshToken(
  transaction: Transaction,
  token: { hash: Buffer; sessionId: string; generation: number; now: Date; expiresAt: Date },
): Promise<void> {
  await transaction.query(prepared('insert_refresh_token')`/* accounts: insertRefreshToken */
    INSERT INTO refresh_tokens (hash, session_id, generation, created_at, expires_at)
    VALUES (${token.hash}, ${token.sessionId}, ${token.generation}, ${token.now}, ${token.expiresAt})
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`);
}

/**
 * Ends live logins of the user with their refresh tokens and, from the next request on, their access tokens. Returns how
 * many. To end all that fit, the caller has locked the user's row, or for one organization the membership: no login begins
 * meanwhile.
 */
export async function revokeLoginSessions(
  { prisma }: AdminTransaction,
  which: Prisma.LoginSessionWhereInput & { userId: string },
  now: Date,
): Promise<number> {
  const { count } = await prisma.loginSession.updateMany({
    where: { ...which, revokedAt: null },
    data: { revokedAt: now },
  });
  return count;
}

/**
 * SQL, because it locks and passes over what is locked. Notes it in the membership too. Never waits: while another
 * transaction holds the row, it is being used or ended there.
 */
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
