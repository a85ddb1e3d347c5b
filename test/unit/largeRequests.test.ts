// Large requests: which they are, and how they take turns while uploads are short of the processor and while they are not.
import { jest } from '@jest/globals';
import { createLargeRequests } from '../../src/platform/largeRequests.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const wait = (millis = 0) => jest.advanceTimersByTimeAsync(millis);

function requestsOf(areBusy: () => boolean) {
  const requests = createLargeRequests(areBusy);
  const begun: string[] = [];
  /** The address is the first letter of the name. Returns what ends the request. */
  const start = (name: string) => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    void requests.turn(name[0]!, ended).then(() => begun.push(name));
    return end;
  };
  return { start, begun };
}

test('a request is large sooner while uploads are short of the processor', () => {
  const [free, busy] = [false, true].map((areBusy) => createLargeRequests(() => areBusy).areLarge) as [
    IsLarge,
    IsLarge,
  ];
  const usual = { rows: 500, bytes: 500_000 };
  const long = { rows: 2_000, bytes: 2_000_000 };
  const longest = [
    { rows: 2_001, bytes: 0 },
    { rows: 0, bytes: 2_100_000 },
  ];
  expect([usual, long, ...longest].map(free)).toEqual([false, false, true, true]);
  expect([usual, long, ...longest].map(busy)).toEqual([false, true, true, true]);
});

type IsLarge = ReturnType<typeof createLargeRequests>['areLarge'];

test('those of one address run one after the other, and without uploads beside those of others', async () => {
  const { start, begun } = requestsOf(() => false);
  const endA1 = start('a1');
  start('a2');
  start('b1');
  await wait();
  expect(begun).toEqual(['a1', 'b1']);
  endA1();
  await wait();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('beside busy uploads those of all addresses run one after the other, and an address rests after each', async () => {
  const { start, begun } = requestsOf(() => true);
  const [endA1, , endB1] = [start('a1'), start('a2'), start('b1')];
  await wait(100);
  expect(begun).toEqual(['a1']);
  endA1();
  await wait();
  expect(begun).toEqual(['a1', 'b1']);
  endB1();
  await wait(390);
  expect(begun).toEqual(['a1', 'b1']);
  await wait(20);
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('a request waits half a minute behind other addresses, and one that has gone takes no turn of theirs', async () => {
  const { start, begun } = requestsOf(() => true);
  const [endA1, endB1] = [start('a1'), start('b1')];
  await wait(20_000);
  endB1();
  start('c1');
  await wait(15_000);
  expect(begun).toEqual(['a1', 'b1']);
  endA1();
  await wait();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
});
