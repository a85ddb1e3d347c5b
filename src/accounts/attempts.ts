// Limits the attempts at the authentication mutations and at invitations, by network and by account (schema.graphql, "Attempts").
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { AppError } from '../platform/errors.ts';
import { countAttempt } from './attemptsStore.ts';
import { networkOf } from './networkOf.ts';

export interface AttemptLimits {
  perAccount: number;
  perAddress: number;
  windowSeconds: number;
}

export interface Attempt {
  mutation: 'login' | 'signup' | 'refreshToken' | 'resetPassword' | 'updatePassword' | 'passwordChange' | 'userInvite';
  /** The e-mail address in the form of `emailForm`, or the token as sent. For an invitation: organization and address. */
  account: string;
  address: string;
}

/** Counts an attempt before it is made. Throws `rate_limited`. */
export type Attempts = (attempt: Attempt) => Promise<void>;

export const defaultAttemptLimits: AttemptLimits = { perAccount: 10, perAddress: 100, windowSeconds: 15 * 60 };

export function createAttempts(
  { adminPool, now }: { adminPool: Pool; now(): Date },
  { perAccount, perAddress, windowSeconds }: AttemptLimits,
): Attempts {
  async function count(by: string[], limit: number): Promise<void> {
    const at = now();
    const windowEnd = new Date(at.getTime() + windowSeconds * 1_000);
    const counted = await countAttempt(adminPool, { key: keyOf(by), now: at, windowEnd, most: limit + 1 });
    if (counted.count <= limit) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((counted.expiresAt.getTime() - at.getTime()) / 1_000));
    throw new AppError('rate_limited', { retryAfterSeconds });
  }
  return async ({ mutation, account, address }) => {
    // The network address counts first: over its limit it can no longer use up the attempts of an account.
    await count([mutation, 'address', networkOf(address)], perAddress);
    await count([mutation, 'account', account], perAccount);
  };
}

/** Hashed, so that a text of any length fits the key and the table holds nobody's address. */
function keyOf(by: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(by)).digest();
}
