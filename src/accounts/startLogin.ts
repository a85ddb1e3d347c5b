// Starts a login: its session, its first refresh token, and the result of login and signup.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { AdminPool, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import {
  type Caller,
  type OrganizationRecord,
  seenBy,
  type SeenOrganization,
  type WorkspaceLoaders,
} from '../workspace/workspace.ts';
import {
  type AccessTokens,
  enterOrganization,
  findSessionFamily,
  insertLoginSession,
  insertRefreshToken,
  removeLeastUsed,
} from './authenticate.ts';
import { findMember, type MemberRecord } from './members.ts';

const day = 24 * 60 * 60 * 1_000;
export const idleMillis = 30 * day;
const absoluteMillis = 90 * day;
/** Ended ones included: somebody who logs in and out leaves no rows either. */
const mostLogins = 100;

export interface LoginDeps {
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  now(): Date;
}

/** What the request tells about the device that logs in. */
export interface LoginOrigin {
  address: string;
  userAgent: string | null;
}

/** The lengths that schema.graphql promises at `LoginSession`: a client may send 16 kB. */
const longest = { userAgent: 512, address: 64 };

export interface TokenPair {
  token: string;
  refreshToken: string;
}

export interface LoggedIn extends TokenPair {
  user: MemberRecord;
  organization: SeenOrganization;
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
  transaction: Transaction,
  { userId, organizationId, passwordHash, after }: Entry,
  { accessTokens, refreshTokens, now, ...origin }: LoginDeps & LoginOrigin,
): Promise<TokenPair | null> {
  const at = now();
  const id = newId(at.getTime());
  if (!(await enterOrganization(transaction, { userId, organizationId, passwordHash, now: at }))) return null;
  const latest = new Date(at.getTime() + absoluteMillis);
  const first = { familyId: null, expiresAt: latest };
  const family = after === undefined ? first : await findSessionFamily(transaction, { id: after, now: at });
  if (!family) return null;
  const userAgent = origin.userAgent?.slice(0, longest.userAgent) ?? null;
  const address = origin.address.slice(0, longest.address);
  await removeLeastUsed(transaction, { userId, most: mostLogins, now: at });
  await insertLoginSession(transaction, { id, userId, organizationId, ...family, now: at, userAgent, address });
  const refreshToken = refreshTokens.first();
  const hash = refreshTokens.hashOf(refreshToken);
  await insertRefreshToken(transaction, {
    hash,
    sessionId: id,
    generation: 0,
    now: at,
    expiresAt: new Date(at.getTime() + idleMillis),
  });
  return { token: await accessTokens.issue({ userId, sessionId: id }, at), refreshToken };
}

/** The fields below the organization use the rights of this user, not those of the request's bearer. */
export function loggedIn(tokens: TokenPair, member: MemberRecord, organization: OrganizationRecord): LoggedIn {
  const { id: userId, organizationId, email, role } = member;
  const caller: Caller = { userId: userId!, organizationId, email, role };
  return { ...tokens, user: member, organization: seenBy(caller, organization) };
}

// Reads what the result of a login shows: the user as a member of the organization, and the organization.

export interface FinishNeeds {
  adminPool: AdminPool;
  loaders: WorkspaceLoaders;
}

export async function finishLogin(
  tokens: TokenPair,
  { userId, organizationId }: { userId: string; organizationId: string },
  { adminPool, loaders }: FinishNeeds,
): Promise<LoggedIn> {
  const member = await findMember(adminPool, { userId, organizationId });
  if (!member) throw new Error('the membership ended while its user logged in');
  return loggedIn(tokens, member, await loaders.organization.load(organizationId));
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
  hashOf(token: string): Buffer;
}

export function createRefreshTokens(current: Buffer, ...older: Buffer[]): RefreshTokens {
  const [successorOf, ...others] = [current, ...older].map((tokenKey) => {
    const key = Buffer.from(hkdfSync('sha256', tokenKey, '', 'refresh token successor', 32));
    return (token: string) => createHmac('sha256', key).update(token).digest('base64url');
  });
  return {
    first: () => randomBytes(32).toString('base64url'),
    successorOf: successorOf!,
    otherSuccessorsOf: (token) => others.map((derive) => derive(token)),
    hashOf: (token) => createHash('sha256').update(token).digest(),
  };
}
