// The rules of docs/sdk/rules.md, "Retries", on the waits between attempts.
import { hasFailed, type Recorded, type Recording } from '../recording.ts';
import { findingOf, remembered, type Rule } from './rule.ts';
import { appStartedBetween } from './starts.ts';

interface Wait {
  failure: Recorded;
  next: Recorded;
  /** The number of failures in a row: 1 for the first. */
  count: number;
  millis: number;
}

/** All requests share the wait, so the next request of any operation ends it. Count and wait end with the process. */
export const waitsIn = remembered((recording: Recording): Wait[] => {
  const { requests } = recording;
  const waits: Wait[] = [];
  let count = 0;
  for (const [at, failure] of requests.entries()) {
    if (failure.operation === null) continue;
    if (!hasFailed(failure)) {
      count = 0;
      continue;
    }
    count += 1;
    const next = requests.slice(at + 1).find(({ arrivedAt }) => arrivedAt >= failure.endedAt);
    if (next && appStartedBetween(failure, next, recording)) count = 0;
    else if (next) waits.push({ failure, next, count, millis: next.arrivedAt - failure.endedAt });
  }
  return waits;
});

/** The server and the SDK do not see the end of a response at the same moment. */
const toleranceMillis = 50;

function shortestMillis(count: number): number {
  return 500 * Math.min(300, 2 ** (count - 1));
}

function waitRule(concerns: (wait: Wait) => boolean, shortest: (wait: Wait) => number): Rule {
  return (recording) =>
    findingOf(
      waitsIn(recording)
        .filter(concerns)
        .map((wait) => {
          const { failure, next, count, millis } = wait;
          const least = shortest(wait);
          if (millis >= least - toleranceMillis) return null;
          const seconds = `${(millis / 1_000).toFixed(2)} s after failure ${count} in a row`;
          const problem = `It comes ${seconds} (request ${failure.index}); the shortest wait is ${least / 1_000} s.`;
          return { request: next, problem };
        }),
    );
}

/** A flush ends after 5 attempts, so the later waits reach over flushes. */
const attemptsOfAFlush = 5;

const hasRetryAfter = ({ failure }: Wait): boolean => retryAfterOf(failure) > 0;

function retryAfterOf({ loss, response }: Recorded): number {
  return loss === null ? Number(response.headers['Retry-After'] ?? 0) * 1_000 : 0;
}

const backoff = ({ count }: Wait): number => shortestMillis(count);

export const waitRules = {
  'backoff-grows': waitRule((wait) => wait.count < attemptsOfAFlush && !hasRetryAfter(wait), backoff),
  'retry-after-obeyed': waitRule(hasRetryAfter, ({ failure }) => retryAfterOf(failure)),
  'backoff-across-flushes': waitRule((wait) => wait.count >= attemptsOfAFlush && !hasRetryAfter(wait), backoff),
};
