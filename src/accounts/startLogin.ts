// Starts a login: its session, its first refresh token, and the result of login and signup.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { seenBy, type Caller, type SeenOrganization } from '../workspace/caller.ts';
import type { OrganizationRecord } from '../workspace/workspaceStore.ts';
import type { AccessTokens } from './accessToken.ts';
import { enterOrganization, findSessionFamily, insertLoginSession, insertRefreshToken } from './loginSessionsStore.ts';
import type { RefreshTokens } from './refreshTokens.ts';
import type { MemberRecord } from './membersStore.ts';
import { removeLeastUsed } from './ownSessionsStore.ts';

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
