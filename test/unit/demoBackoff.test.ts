// The retry schedule of the reference SDK: doubled, spread, bounded, and never earlier than the server asks.
import { backoffMillis, readRetryAfter } from '../tools/demo/sdk/backoff.ts';
import { recommendedSettings } from '../tools/demo/sdk/settings.ts';

const policy = recommendedSettings.retry;
const wait = (attempt: number, random: number, retryAfterMillis = 0): number =>
  backoffMillis({ attempt, random, retryAfterMillis }, policy);

test('doubles from one second up to five minutes', () => {
  expect([1, 2, 3, 9, 10, 40].map((attempt) => wait(attempt, 0.5))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ]);
});

test('spreads devices by a factor from 0.5 to 1.5', () => {
  expect(wait(3, 0)).toBe(2_000);
  expect(wait(3, 0.999)).toBeCloseTo(5_996);
});

test('takes Retry-After as a lower bound only', () => {
  expect(wait(1, 0, 30_000)).toBe(30_000);
  expect(wait(9, 0.5, 30_000)).toBe(256_000);
});

test('reads Retry-After as seconds or as an HTTP date', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  expect(readRetryAfter('7', now)).toBe(7_000);
  expect(readRetryAfter('Sat, 21 Nov 2026 10:00:05 GMT', now)).toBe(5_000);
  expect(readRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', now)).toBe(0);
  expect(readRetryAfter('soon', now)).toBe(0);
  expect(readRetryAfter(null, now)).toBe(0);
});
