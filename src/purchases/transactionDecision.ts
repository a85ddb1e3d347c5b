// Decides the state of a transaction after a look-up (pure).
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import { entitlementOf, type Entitlement } from './entitlement.ts';
import type { Finding } from './lookUpTransaction.ts';
import { defaultBackoff } from './retryTimes.ts';
import type { ParkedReason } from './storeTransactionsStore.ts';

export type Decision =
  | { state: 'RESOLVED'; entitlement: Entitlement }
  | { state: 'NOT_FOUND' }
  | { state: 'FAILED'; reason: string }
  /** The look-up is repeated when credentials are set. */
  | { state: 'PENDING'; reason: ParkedReason; askAgainAt: null }
  | { state: 'PENDING'; reason: string; askAgainAt: Date };

export interface Circumstances {
  /** The number of this attempt, from 1. */
  attempt: number;
  now: Date;
  /** A random number from 0 to 1 that spreads the retries. */
  random: number;
  backoff?: Backoff;
}

export function decide(finding: Finding, { attempt, now, random, backoff = defaultBackoff }: Circumstances): Decision {
  switch (finding.verdict) {
    case 'found':
      return { state: 'RESOLVED', entitlement: entitlementOf(finding) };
    case 'not_found':
      return { state: 'NOT_FOUND' };
    case 'failed':
      return { state: 'FAILED', reason: finding.reason };
    case 'credentials_refused':
      return { state: 'PENDING', reason: 'credentials_refused', askAgainAt: null };
    case 'retry': {
      const delay = retryDelay(attempt, random, backoff);
      if (delay === null) return { state: 'FAILED', reason: 'retries_exhausted' };
      // The later of the store's time and our own: a store that always says "in a second" would use up all attempts.
      const askAgainAt = Math.max(now.getTime() + delay, finding.retryAt?.getTime() ?? 0);
      return { state: 'PENDING', reason: finding.reason, askAgainAt: new Date(askAgainAt) };
    }
  }
}
