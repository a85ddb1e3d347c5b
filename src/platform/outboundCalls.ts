// A call with a timeout, below a signal that lives as long as the process.
import { setMaxListeners } from 'node:events';

/**
 * `call` gets a signal that aborts with `outer`, or with a `TimeoutError` after this many milliseconds.
 * `AbortSignal.any` does the same, but on Node 20 the outer signal never frees the memory of each call.
 */
export async function withTimeout<Result>(
  outer: AbortSignal,
  millis: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer.reason);
  // Node warns of a leak from the eleventh on; four jobs of webhooks make 32 calls at once.
  setMaxListeners(0, outer);
  outer.addEventListener('abort', stop);
  const timer = setTimeout(() => controller.abort(new DOMException('It took too long.', 'TimeoutError')), millis);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}

// The delay before a retry of a call to another system (pure).

export interface Backoff {
  firstMillis: number;
  longestMillis: number;
  attempts: number;
}

/**
 * The first delay, doubled at each attempt up to the longest. `random` (0 to 1) makes each delay up to a quarter shorter or
 * longer. Null when no attempt is left. `attempt` counts from 1.
 */
export function retryDelay(
  attempt: number,
  random: number,
  { firstMillis, longestMillis, attempts }: Backoff,
): number | null {
  if (attempt >= attempts) return null;
  const delay = Math.min(longestMillis, firstMillis * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random / 2));
}
