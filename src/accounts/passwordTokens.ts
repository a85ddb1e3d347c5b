// Mailed tokens, one for each mail, stored only as hashes; and the lifetimes of those that set a password.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export type PasswordTokenPurpose = 'reset' | 'invitation';

export interface PasswordTokens {
  /**
   * The token of a mail, 256 bits, derived from the mail's id under a key of the service. A job that runs again mails the
   * same token, and the queue holds only the id, from which nobody else can derive the token
   * (docs/decisions/unproven-accounts.md).
   */
  tokenOf(mailId: string): string;
  /** The tokens that other keys of the service may have given the same mail before. */
  otherTokensOf(mailId: string): string[];
  hashOf(token: string): Buffer;
}

const minute = 60_000;
const lifetimeMillis = { reset: 30 * minute, invitation: 7 * 24 * 60 * minute } satisfies Record<
  PasswordTokenPurpose,
  number
>;

export function createPasswordTokens(current: Buffer, ...older: Buffer[]): PasswordTokens {
  const [tokenOf, ...others] = [current, ...older].map((tokenKey) => {
    const key = Buffer.from(hkdfSync('sha256', tokenKey, '', 'password token', 32));
    return (mailId: string) => createHmac('sha256', key).update(mailId).digest('base64url');
  });
  return {
    tokenOf: tokenOf!,
    otherTokensOf: (mailId) => others.map((derive) => derive(mailId)),
    hashOf: hashOfToken,
  };
}

/** A token that no mail has, for a link that a program prints. */
export function newPasswordToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
}

function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function expiryOf(purpose: PasswordTokenPurpose, now: Date): Date {
  return new Date(now.getTime() + lifetimeMillis[purpose]);
}
