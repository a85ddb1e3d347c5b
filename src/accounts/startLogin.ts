// Starts a login: its session, its refresh tokens, and the result of login and signup.
import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import type { AdminPool, AdminTransaction, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { type Caller, type ViewedOrganization, withViewer, type WorkspaceLoaders } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { type AccessTokens, enterOrganization, insertRefreshToken } from './authenticate.ts';
import { derivations, hashOfToken } from './mailedTokens.ts';
import { findMember, type MemberRecord } from './members.ts';

const day = 24 * 60 * 60 * 1_000;
export const idleMillis = 30 * day;
const absoluteMillis = 90 * day;
/** Ended ones included: somebody who logs in and out leaves no rows either. */
const mostLogins = 100;

/** What every operation needs that begins a login. */
export interface LoginNeeds {
  adminPool: AdminPool;
  prisma: PrismaClient;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  attempts: Attempts;
  loaders: WorkspaceLoaders;
  address: string;
  /** Of the device that logs in. */
  userAgent: string | null;
  now(): Date;
}

/** The lengths that schema.graphql promises at `LoginSession`: a client may send 16 kB. */
const longest = { userAgent: 512, address: 64 };

export interface TokenPair {
  token: string;
  refreshToken: string;
}

export interface LoggedIn extends TokenPair {
  user: MemberRecord;
  organization: ViewedOrganization;
}

export interface Entry {
  userId: string;
  organizationId: string;
  /** The hash with which the password was compared. Absent where no password was asked for. */
  passwordHash?: string;
  /** The session of the bearer that asks for this one, which lives no longer than that. */
  after?: string | undefined;
}

/** Null when the user is not active in the organization, got another password, or when the session `after` has ended. */
export async function startLogin(
  transaction: AdminTransaction,
  { userId, organizationId, passwordHash, after }: Entry,
  { accessTokens, refreshTokens, now, ...origin }: LoginNeeds,
): Promise<TokenPair | null> {
  const at = now();
  const id = newId(at.getTime());
  if (!(await enterOrganization(transaction, { userId, organizationId, passwordHash, now: at }))) return null;
  const first = { id: null, familyId: null, expiresAt: new Date(at.getTime() + absoluteMillis) };
  const before = after === undefined ? first : await findSession(transaction, after, at);
  if (!before) return null;
  const userAgent = origin.userAgent?.slice(0, longest.userAgent) ?? null;
  const address = origin.address.slice(0, longest.address);
  await removeLeastUsed(transaction, { userId, most: mostLogins, now: at });
  const times = { createdAt: at, lastUsedAt: at, expiresAt: before.expiresAt };
  await transaction.prisma.loginSession.createMany({
    data: { id, userId, organizationId, familyId: before.familyId ?? before.id, userAgent, address, ...times },
  });
  const refreshToken = refreshTokens.first();
  await insertRefreshToken(transaction, {
    hash: refreshTokens.hashOf(refreshToken),
    sessionId: id,
    generation: 0,
    now: at,
    expiresAt: new Date(at.getTime() + idleMillis),
  });
  return { token: await accessTokens.issue({ userId, sessionId: id }, at), refreshToken };
}

/** A live one. */
function findSession({ prisma }: AdminTransaction, id: string, now: Date) {
  const where = { id, revokedAt: null, expiresAt: { gt: now } };
  return prisma.loginSession.findFirst({ where, select: { id: true, familyId: true, expiresAt: true } });
}

/**
 * SQL, because it passes over what is locked: that stays for the next login. Makes room for one more login of a user who has
 * as many as `most`: removes the ended ones, and then those that were used least lately, with their refresh tokens.
 */
async function removeLeastUsed(
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

/**
 * Reads what the result of a login shows. The fields below the organization use the rights of this user, not those of the
 * request's bearer.
 */
export async function finishLogin(
  tokens: TokenPair,
  { userId, organizationId }: Entry,
  { adminPool, loaders }: Pick<LoginNeeds, 'adminPool' | 'loaders'>,
): Promise<LoggedIn> {
  const user = await findMember(adminPool, { userId, organizationId });
  if (!user) throw new Error('the membership ended while its user logged in');
  const caller: Caller = { userId, organizationId, email: user.email, role: user.role };
  const organization = withViewer(caller, await loaders.organization.load(organizationId));
  return { ...tokens, user, organization };
}

// The secret values of refresh tokens, stored only as hashes: the first is random, each later one is derived from the one before.

export interface RefreshTokens {
  /** The first token of a login: 256 random bits. */
  first(): string;
  /**
   * The one successor of a token, derived under a key of the service. So a second tab gets the same successor although
   * only hashes are stored, and nobody else can derive it.
   */
  successorOf(token: string): string;
  /** The successors that other keys of the service may have derived during a key rotation. */
  otherSuccessorsOf(token: string): string[];
  hashOf(token: string): Buffer<ArrayBuffer>;
}

export function createRefreshTokens(current: Buffer, ...older: Buffer[]): RefreshTokens {
  const [successorOf, ...others] = derivations('refresh token successor', [current, ...older]);
  return {
    first: () => randomBytes(32).toString('base64url'),
    successorOf: successorOf!,
    otherSuccessorsOf: (token) => others.map((derive) => derive(token)),
    hashOf: hashOfToken,
  };
}
