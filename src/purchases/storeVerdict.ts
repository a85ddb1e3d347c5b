// Decides the result of a look-up from an error of the store (pure): docs/operating/troubleshooting.md explains the states.
import type { StoreFailure } from './storeClient.ts';

export type StoreVerdict =
  /** The store does not know the transaction in this environment. */
  | { verdict: 'elsewhere' }
  | { verdict: 'credentials_refused' }
  | {
      verdict: 'retry';
      reason: 'store_busy' | 'store_unavailable';
      /** For the log: the status and the store's own code, or why there was no response. */
      cause: string;
      retryAt: Date | null;
    }
  | { verdict: 'failed'; reason: string };

/** "Retryable" in the store's own list of errors: an account, app or original transaction that may appear later. */
const retryableNotFound = new Set([4_040_002, 4_040_004, 4_040_006]);

export function storeVerdict(failure: StoreFailure): StoreVerdict {
  if (failure.kind === 'unverified') return { verdict: 'failed', reason: failure.reason };
  if (failure.kind === 'unreachable')
    return { verdict: 'retry', reason: 'store_unavailable', cause: failure.detail, retryAt: null };
  const { status, code, retryAt } = failure;
  const cause = `status ${status}${code === null ? '' : `, ${code}`}`;
  if (status === 401) return { verdict: 'credentials_refused' };
  if (status === 429) return { verdict: 'retry', reason: 'store_busy', cause, retryAt };
  // 408 is a timeout. A 404 without a code comes from a proxy: the store itself always gives a code.
  const passing = status >= 500 || status === 408 || (status === 404 && (code === null || retryableNotFound.has(code)));
  if (passing) return { verdict: 'retry', reason: 'store_unavailable', cause, retryAt };
  if (status === 404) return { verdict: 'elsewhere' };
  return { verdict: 'failed', reason: `store_refused_${code ?? status}` };
}
