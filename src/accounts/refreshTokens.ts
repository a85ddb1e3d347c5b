// The secret values of refresh tokens: made at a login, then each derived from the one before, stored only as hashes.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export interface RefreshTokens {
  /** The first token of a login: 256 random bits. */
  first(): string;
  /**
   * The one successor of a token. Derived under a key of the service, so that a second tab can be given the same one
   * again although only its hash is stored, and nobody else can derive it.
   */
  successorOf(token: string): string;
  /** What other keys of the service may have made of it a moment ago. */
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
