// The user who founds an organization or joins one: the bearer's, or the one to whom login has given a challenge.
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { LiveCaller } from '../workspace/caller.ts';
import { useChallenge, userOfChallenge } from './loginChallenges.ts';
import { lockUser } from './userEditsStore.ts';
import type { AccountRecord } from './usersStore.ts';

export interface EntrantNeeds {
  authenticate(): Promise<LiveCaller | null>;
  now(): Date;
}

export interface Entrant extends AccountRecord {
  /** The session of the bearer, which bounds the life of the new one. */
  after: string | undefined;
}

/** Uses the challenge up, where there is one. Throws `forbidden` for a service token, `invalid_token`. */
export async function lockEntrant(
  transaction: Transaction,
  challenge: string | null | undefined,
  { authenticate, now }: EntrantNeeds,
): Promise<Entrant> {
  const caller = typeof challenge === 'string' ? null : await authenticate();
  if (caller?.service) throw new AppError('forbidden', undefined);
  const userId = typeof challenge === 'string' ? await userOfChallenge(transaction, challenge, now()) : caller?.userId;
  const user = userId ? await lockUser(transaction, userId) : null;
  const used = typeof challenge !== 'string' || (user !== null && (await useChallenge(transaction, challenge)));
  if (!user || !used) throw new AppError('invalid_token', undefined);
  return { ...user, after: caller?.sessionId };
}
