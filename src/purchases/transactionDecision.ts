// Decides what a look-up makes of its transaction (pure).
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import type { Finding } from './lookUpTransaction.ts';
import { defaultBackoff, notKnownForMillis, refusedBackoff } from './retryTimes.ts';
import type { BegunLookUp, TransactionState } from './storeTransactionsStore.ts';

export interface Decision {
  state: TransactionState;
  reason: string | null;
  /** Why the look-up brought nothing; null where it succeeded. */
  error: string | null;
  /** When the store is asked again by itself; null for no more. */
  askAgainAt: Date | null;
  notKnownSince: Date | null;
}

export interface Circumstances {
  /** The number of this attempt, from 1. */
  attempt: number;
  now: Date;
  /** A random number from 0 to 1 that spreads the retries. */
  random: number;
  backoff?: Backoff;
  /** How long the store may not know a transaction before it is NOT_FOUND. */
  notKnownMillis?: number;
}

type Before = Pick<BegunLookUp, 'state' | 'notKnownSince'>;

/** A repeated look-up leaves the state as it is until it succeeds. */
export function decide(finding: Finding, before: Before, circumstances: Circumstances): Decision {
  const { now, random, attempt, backoff = defaultBackoff } = circumstances;
  const { state, notKnownSince } = before;
  const [first, kept] = [state === 'PENDING', { notKnownSince, state, reason: null }];
  const unless = (askAgainAt: Date | null, error: string): Decision =>
    first ? { ...kept, reason: error, error, askAgainAt } : { ...kept, error, askAgainAt };
  switch (finding.verdict) {
    case 'found':
      return { state: 'RESOLVED', reason: null, error: null, askAgainAt: null, notKnownSince: null };
    case 'not_found':
      return notKnown(before, circumstances);
    case 'failed':
      return first ? { ...unless(null, finding.reason), state: 'FAILED' } : unless(null, finding.reason);
    case 'credentials_refused': {
      const pause = retryDelay(attempt, random, refusedBackoff)!;
      return unless(new Date(now.getTime() + pause), 'credentials_refused');
    }
    case 'retry': {
      const delay = retryDelay(attempt, random, backoff);
      if (delay === null && first) return { ...unless(null, 'retries_exhausted'), state: 'FAILED' };
      if (delay === null) return unless(null, 'retries_exhausted');
      // The later of the store's time and our own: a store that always says "in a second" would use up all attempts.
      const askAgainAt = Math.max(now.getTime() + delay, finding.retryAt?.getTime() ?? 0);
      return unless(new Date(askAgainAt), finding.reason);
    }
  }
}

/** A store may learn of a purchase later than the app. A RESOLVED transaction is known, whatever the store says now. */
function notKnown({ state, notKnownSince }: Before, circumstances: Circumstances): Decision {
  const { now, random, attempt, backoff = defaultBackoff, notKnownMillis = notKnownForMillis } = circumstances;
  const error = 'not_known_yet';
  if (state === 'RESOLVED') return { state, reason: null, error, askAgainAt: null, notKnownSince: null };
  const since = notKnownSince ?? now;
  const end = since.getTime() + notKnownMillis;
  const final = state === 'PENDING' ? 'NOT_FOUND' : state;
  if (now.getTime() >= end) return { state: final, reason: null, error, askAgainAt: null, notKnownSince: since };
  const pause = retryDelay(attempt, random, { ...backoff, attempts: Infinity })!;
  // The last attempt is at the end of the time.
  const askAgainAt = new Date(Math.min(now.getTime() + pause, end));
  return { state, reason: state === 'PENDING' ? error : null, error, askAgainAt, notKnownSince: since };
}
