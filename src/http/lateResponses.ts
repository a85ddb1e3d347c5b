// Responds in time, and logs the responses that missed their time limit: under overload nearly every response does, so at most one line a second.
import { unavailable } from '../platform/errors.ts';
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

/** The work continues after its time limit, without a response. A retry is safe, even if the work stores the upload. */
export function answerInTime<Result>(work: Promise<Result>, millis: number, onLate: () => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate();
      reject(unavailable());
    }, millis);
    const inTime =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        settle(value);
      };
    work.then(inTime(resolve), inTime(reject));
  });
}
