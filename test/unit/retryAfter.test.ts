// `Retry-After` of a 503: openapi.yaml, "Backoff".
import { RetryAfter } from '../../src/http/retryAfter.ts';

/** `random` 0.5 leaves the spread out. */
function newClock(random = 0.5) {
  const clock = { millis: 0 };
  const retryAfter = new RetryAfter({ uptime: () => clock.millis, random: () => random });
  /** Sends so many requests evenly within a second, of which it refuses a share, and returns the last wait. */
  const second = (requests: number, share: number): number => {
    let wait = 0;
    for (let sent = 0; sent < requests; sent++) {
      clock.millis += 1_000 / requests;
      const isRefused = Math.floor((sent + 1) * share) > Math.floor(sent * share);
      if (isRefused) wait = retryAfter.refuse();
      else retryAfter.noteTaken();
    }
    return wait;
  };
  const seconds = (count: number, requests: number, share: number): number =>
    Array.from({ length: count }, () => second(requests, share)).at(-1)!;
  return { clock, retryAfter, seconds };
}

test('the first refusal, and one of a few requests, is 1 s', () => {
  const { retryAfter, seconds } = newClock();
  expect(retryAfter.refuse()).toBe(1);
  retryAfter.noteTaken();
  expect(retryAfter.refuse()).toBe(1);
  expect(seconds(10, 4, 0.25)).toBeLessThanOrEqual(2);
});

test('it grows with the share of the last 10 s that was refused', () => {
  const waits = [0.05, 0.2, 0.5, 0.8, 0.99].map((share) => newClock().seconds(20, 1_000, share));
  expect(waits).toEqual([1, 8, 49, 125, 192]);
});

test('a short trouble is short, and the wait is 1 s again 10 s after it', () => {
  const { seconds } = newClock();
  seconds(10, 1_000, 0);
  expect(seconds(1, 1_000, 0.9)).toBeLessThanOrEqual(2);
  expect(seconds(4, 1_000, 0.9)).toBeGreaterThan(35);
  expect(seconds(7, 1_000, 0.001)).toBeGreaterThan(1);
  expect(seconds(4, 1_000, 0.001)).toBe(1);
});

test('while nothing is taken, it is one and a half times the outage, up to 200 s', () => {
  const { clock, retryAfter } = newClock();
  retryAfter.noteTaken();
  const waits = [0, 500, 2_500, 30_000, 240_000, 600_000].map((millis) => {
    clock.millis += millis;
    return retryAfter.refuse();
  });
  expect(waits).toEqual([1, 1, 5, 50, 200, 200]);
});

test('the refusals of an outage do not count as load after it', () => {
  const { clock, retryAfter, seconds } = newClock();
  seconds(10, 1_000, 0);
  for (let sent = 0; sent < 20_000; sent++) {
    clock.millis += 1;
    retryAfter.refuse();
  }
  retryAfter.noteTaken();
  expect(retryAfter.refuse()).toBe(1);
});

test('it has whole seconds between half and one and a half of the wait, and never 0', () => {
  for (const [random, longest] of [
    [0, 100],
    [0.999999, 300],
  ] as const) {
    const { clock, retryAfter } = newClock(random);
    expect(retryAfter.refuse()).toBe(1);
    clock.millis += 1_000_000;
    expect(retryAfter.refuse()).toBe(longest);
  }
});

test('a fleet spreads over the whole range', () => {
  const clock = { millis: 0 };
  const retryAfter = new RetryAfter({ uptime: () => clock.millis, random: Math.random });
  retryAfter.refuse();
  clock.millis = 600_000;
  const waits = Array.from({ length: 3_000 }, () => retryAfter.refuse());
  expect(waits.every((wait) => Number.isInteger(wait) && wait >= 100 && wait <= 300)).toBe(true);
  expect(new Set(waits).size).toBeGreaterThan(175);
});
