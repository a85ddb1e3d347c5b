// Starts a login: its session, its first refresh token, and the result of login and signup.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { seenBy, type Caller, type SeenOrganization } from '../workspace/caller.ts';
import type { OrganizationRecord } from '../workspace/workspaceStore.ts';
import type { AccessTokens } from './accessToken.ts';
import { insertLoginSession, insertRefreshToken } from './loginSessionsStore.ts';
import type { RefreshTokens } from './refreshTokens.ts';
import type { UserRecord } from './usersStore.ts';

const day = 24 * 60 * 60 * 1_000;
export const idleMillis = 30 * day;
const absoluteMillis = 90 * day;

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
  user: UserRecord;
  organization: SeenOrganization;
}

/** Null when the user was disabled or got another password after the comparison with `passwordHash`. */
export async function startLogin(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
  { accessTokens, refreshTokens, now, ...origin }: LoginDeps & LoginOrigin,
): Promise<TokenPair | null> {
  const at = now();
  const id = newId(at.getTime());
  const expiresAt = new Date(at.getTime() + absoluteMillis);
  const userAgent = origin.userAgent?.slice(0, longest.userAgent) ?? null;
  const address = origin.address.slice(0, longest.address);
  const session = { id, userId, passwordHash, now: at, expiresAt, userAgent, address };
  if (!(await insertLoginSession(transaction, session))) return null;
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
export function loggedIn(tokens: TokenPair, user: UserRecord, organization: OrganizationRecord): LoggedIn {
  const { id: userId, organizationId, email, role } = user;
  const caller: Caller = { userId, organizationId, email, role };
  return { ...tokens, user, organization: seenBy(caller, organization) };
}
