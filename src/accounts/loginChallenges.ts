// Challenges: what login gives an account without an active membership, for five minutes and one use (schema.graphql, "Challenges").
import { createHash, randomBytes } from 'node:crypto';
import type { Transaction } from '../platform/database/transaction.ts';
import { deleteChallenge, findChallengeUser, insertChallenge } from './loginChallengesStore.ts';

const lifetimeMillis = 5 * 60_000;

/** Stored only as a hash, because a hash of 256 random bits opens nothing. */
const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();

export async function openChallenge(transaction: Transaction, userId: string, now: Date): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + lifetimeMillis);
  await insertChallenge(transaction, { hash: hashOf(challenge), userId, expiresAt });
  return challenge;
}

/** The user of a live challenge. */
export function userOfChallenge(transaction: Transaction, challenge: string, now: Date): Promise<string | null> {
  return findChallengeUser(transaction, { hash: hashOf(challenge), now });
}

/** False when another request has used the challenge. The caller has locked the user. */
export function useChallenge(transaction: Transaction, challenge: string): Promise<boolean> {
  return deleteChallenge(transaction, hashOf(challenge));
}
