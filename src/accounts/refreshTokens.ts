// The secret values of refresh tokens, stored only as hashes: the first is random, each later one is derived from the one before.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

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
