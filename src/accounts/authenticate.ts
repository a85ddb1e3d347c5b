// Turns an Authorization header into the caller: a service token, or an access token with its login session and user.
import type { Pool } from 'pg';
import { inLane } from '../platform/turns.ts';
import type { LiveCaller } from '../workspace/caller.ts';
import type { AccessTokenClaims, AccessTokens } from './accessToken.ts';
import { bearerOf } from './bearer.ts';
import { findLiveCaller, markGenerationUsed } from './loginSessionsStore.ts';
import { noteSessionUse } from './ownSessionsStore.ts';
import { hashOfServiceToken, isServiceToken } from './serviceToken.ts';
import { findServiceCaller, noteServiceTokenUse } from './serviceTokensStore.ts';

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
