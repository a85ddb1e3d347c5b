// Logs responses that missed their time limit: under overload nearly every response does, so at most one line a second.
import type { Log } from '../platform/observability/log.ts';

export interface LateResponse {
  operation: string;
  requestId: string;
  /** How long the work has lasted when the client gets 503. */
  millis: number;
}

/** `now` is in milliseconds and never goes back. */
export function createLateResponses(log: Log, now: () => number = () => performance.now()) {
  let nextAt = -Infinity;
  let others = 0;
  return ({ operation, requestId, millis }: LateResponse): void => {
    if (now() < nextAt) {
      others += 1;
      return;
    }
    nextAt = now() + 1_000;
    log.warn({ operation, requestId, millis: Math.round(millis), others }, 'a response took too long');
    others = 0;
  };
}
