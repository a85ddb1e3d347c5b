// The form of service tokens: a prefix that secret scanners can grep for and 256 random bits. Only the hash is stored.
import { createHash, randomBytes } from 'node:crypto';

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
