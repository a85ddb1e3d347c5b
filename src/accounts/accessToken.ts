// The access token: a JWT that names a user and the login session it lives by (contract 2.1).
import { createHash } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';

export interface AccessTokenClaims {
  userId: string;
  sessionId: string;
}

export interface AccessTokens {
  issue(claims: AccessTokenClaims, now: Date): Promise<string>;
  /** Null for whatever is not a token of ours that is valid at this moment. */
  read(token: string, now: Date): Promise<AccessTokenClaims | null>;
}

export const accessTokenLifetimeSeconds = 90 * 60;
const shortestKey = 32;
const header = { alg: 'HS256', typ: 'at+jwt' };

/** Throws for a key below 32 bytes, which the library would sign with. */
export function createAccessTokens(key: Buffer): AccessTokens {
  if (key.length < shortestKey) throw new Error(`TOKEN_KEY must have at least ${shortestKey} bytes`);
  // Names the key without telling it, so that a token of another key is refused before its signature is looked at.
  const kid = createHash('sha256').update('access token key id\n').update(key).digest('base64url').slice(0, 16);
  return {
    issue({ userId, sessionId }, now) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ ...header, kid })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + accessTokenLifetimeSeconds)
        .sign(key);
    },
    async read(token, now) {
      const verified = await verify(token, key, now);
      if (verified?.protectedHeader.kid !== kid) return null;
      const { sub, sid } = verified.payload;
      return typeof sub === 'string' && typeof sid === 'string' ? { userId: sub, sessionId: sid } : null;
    },
  };
}

/** `exp` is required here because the library takes a token without one for eternal. */
function verify(token: string, key: Buffer, now: Date) {
  const rules = {
    algorithms: [header.alg],
    typ: header.typ,
    requiredClaims: ['exp', 'sub', 'sid'],
    currentDate: now,
  };
  return jwtVerify(token, key, rules).catch(() => null);
}
