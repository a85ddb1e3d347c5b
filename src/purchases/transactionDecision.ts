// What becomes of a transaction after a look-up: pure.
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import { entitlementOf, type Entitlement } from './entitlement.ts';
import type { ParkedReason } from './storeTransactionsStore.ts';
import type { Finding } from './lookUpTransaction.ts';
import { defaultBackoff } from './retryTimes.ts';

export type Decision =
  | { state: 'RESOLVED'; entitlement: Entitlement }
  | { state: 'NOT_FOUND' }
  | { state: 'FAILED'; reason: string }
  /** Asked again when credentials are set. */
  | { state: 'PENDING'; reason: ParkedReason; askAgainAt: null }
  | { state: 'PENDING'; reason: string; askAgainAt: Date };

export interface Circumstances {
  /** Which attempt this was, from 1. */
  attempt: number;
  now: Date;
  /** 0…1, spreads the retries. */
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
      // The store's own word counts, also where it is sooner than ours.
      const askAgainAt = finding.retryAt ?? new Date(now.getTime() + delay);
      return { state: 'PENDING', reason: finding.reason, askAgainAt };
    }
  }
}
