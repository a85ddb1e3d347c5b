// Numbers for new sessions: each is given once and in order, with the database's time.
import { jest } from '@jest/globals';
import { createSessionNumbers, type DrawNumbers } from '../../src/sessions/writer/sessionNumbers.ts';

const now = 1_789_000_000;

function sequence() {
  const draws: number[] = [];
  let last = 0;
  const draw = async (count: number) => {
    draws.push(count);
    const first = last + 1;
    last += count;
    return { numbers: Array.from({ length: count }, (_, index) => first + index), now };
  };
  return { draws, draw };
}

function takingFrom(draw: DrawNumbers) {
  const take = createSessionNumbers();
  return (count: number) => take(count, draw);
}

afterEach(() => jest.useRealTimers());

test('each number is given once and in order, and many are drawn at a time', async () => {
  const { draws, draw } = sequence();
  const take = takingFrom(draw);
  const given: number[] = [];
  for (let batch = 0; batch < 200; batch++) given.push(...(await take(batch % 60)).refs);
  expect(given).toEqual(given.toSorted((a, b) => a - b));
  expect(new Set(given).size).toBe(given.length);
  expect(draws.length).toBe(Math.ceil(given.length / 4_096));
});

test('batches that ask side by side get different numbers', async () => {
  const take = takingFrom(sequence().draw);
  const given = (await Promise.all([take(3), take(3), take(3)])).flatMap(({ refs }) => refs);
  expect(new Set(given).size).toBe(9);
});

test('a batch of more sessions than are drawn at a time gets them all', async () => {
  const take = takingFrom(sequence().draw);
  await take(1);
  expect((await take(10_000)).refs).toHaveLength(10_000);
});

test('the time is that of the draw and what has passed since, and is asked again after a minute', async () => {
  jest.useFakeTimers({ now: 0 });
  const { draws, draw } = sequence();
  const take = takingFrom(draw);
  expect((await take(1)).receivedAt).toBeCloseTo(now, 3);
  jest.advanceTimersByTime(59_000);
  expect((await take(1)).receivedAt).toBeCloseTo(now + 59, 3);
  jest.advanceTimersByTime(2_000);
  expect((await take(1)).receivedAt).toBeCloseTo(now, 3);
  expect(draws).toHaveLength(2);
});

test('a draw that failed is made again', async () => {
  const { draw } = sequence();
  let failing = true;
  const take = takingFrom((count) => (failing ? Promise.reject(new Error('away')) : draw(count)));
  await expect(take(1)).rejects.toThrow('away');
  failing = false;
  expect((await take(1)).refs).toEqual([1]);
});
