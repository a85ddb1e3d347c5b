// Issues and reads access tokens: a JWT that names a user and the login session (schema.graphql, "Tokens").
import { jwtVerify, SignJWT } from 'jose';
import { keyIdOf } from '../platform/keyId.ts';
import { isUuid } from '../platform/uuid.ts';

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
