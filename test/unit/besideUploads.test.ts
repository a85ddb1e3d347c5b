// Questions run freely, or one at a time with rests while uploads are short of the processor.
import { jest } from '@jest/globals';
import { besideUploads, watchUploads } from '../../src/analytics/engine/besideUploads.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('one question at a time, and a rest of eight times its time, only beside busy uploads', () => {
  const busy = besideUploads(() => true, 4);
  const free = besideUploads(() => false, 4);
  expect([busy, free].map(({ atOnce }) => (atOnce as () => number)())).toEqual([1, 4]);
  expect([busy, free].map(({ restMillis }) => restMillis!(100))).toEqual([800, 0]);
  expect(busy.restMillis!(9_000)).toBe(15_000);
});

interface Seen {
  underWay: number;
  /** Of the cores' time. */
  idle: number;
}

function watched(seen: Seen): () => boolean {
  const times = { idle: 0, all: 0 };
  return watchUploads(
    () => seen.underWay,
    () => ({ idle: (times.idle += seen.idle * 1_000), all: (times.all += 1_000) }),
  );
}

test.each([
  [{ underWay: 8, idle: 0.05 }, true],
  [{ underWay: 7, idle: 0.05 }, false],
  [{ underWay: 8, idle: 0.2 }, false],
])('uploads are busy with %j: %s', (seen, expected) => {
  const areBusy = watched(seen);
  expect(areBusy()).toBe(false);
  jest.advanceTimersByTime(250);
  expect(areBusy()).toBe(expected);
});

test('uploads stay busy for two seconds after they had the cores taken', () => {
  const seen = { underWay: 64, idle: 0 };
  const areBusy = watched(seen);
  jest.advanceTimersByTime(250);
  seen.underWay = 0;
  jest.advanceTimersByTime(1_999);
  expect(areBusy()).toBe(true);
  jest.advanceTimersByTime(1);
  expect(areBusy()).toBe(false);
});

test('the times of this machine are read', () => {
  const areBusy = watchUploads(() => 0);
  jest.advanceTimersByTime(1_000);
  expect(areBusy()).toBe(false);
});
