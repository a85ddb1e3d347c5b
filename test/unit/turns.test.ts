// Turns: a bounded number of pieces of work at once, a bounded queue and a bounded wait.
import { jest } from '@jest/globals';
import { createTurns } from '../../src/platform/turns.ts';

afterEach(() => void jest.useRealTimers());

const refusal = () => new Error('refused');

interface Piece {
  work: () => Promise<string>;
  end: () => void;
  begun: () => boolean;
}

function piece(): Piece {
  let end!: () => void;
  let begun = false;
  const ended = new Promise<string>((resolve) => (end = () => resolve('done')));
  return { work: () => ((begun = true), ended), end, begun: () => begun };
}

test('who waits longer than patience allows is refused, and the next one still gets its turn', async () => {
  const inTurn = createTurns({ atOnce: 1, longestQueue: 5, patienceMillis: 40, refusal });
  const [first, second, third] = [piece(), piece(), piece()];
  const running = inTurn(first.work);
  await expect(inTurn(second.work)).rejects.toThrow('refused');
  const waiting = inTurn(third.work);
  first.end();
  third.end();
  expect(await Promise.all([running, waiting])).toEqual(['done', 'done']);
  expect(second.begun()).toBe(false);
  expect(await inTurn(async () => 'free')).toBe('free');
});

test('whoever comes behind the longest queue is refused at once', async () => {
  const inTurn = createTurns({ atOnce: 1, longestQueue: 1, refusal });
  const [first, second] = [piece(), piece()];
  const pieces = [inTurn(first.work), inTurn(second.work)];
  await expect(inTurn(async () => 'third')).rejects.toThrow('refused');
  first.end();
  second.end();
  await Promise.all(pieces);
});

test('whoever gives up takes nobody along, nor does one that has begun when its patience would end', async () => {
  jest.useFakeTimers();
  const inTurn = createTurns({ atOnce: 1, longestQueue: 5, patienceMillis: 40, refusal });
  const pieces = [piece(), piece(), piece(), piece()];
  const outcomes: Promise<string>[] = [];
  const wait = (millis: number) => jest.advanceTimersByTimeAsync(millis);
  for (const { work } of pieces) {
    outcomes.push(inTurn(work).catch(({ message }: Error) => message));
    await wait(10);
  }
  const [first, second, third, fourth] = pieces as [Piece, Piece, Piece, Piece];
  // The second piece has waited since 10 ms, the third since 20 ms.
  await wait(15);
  first.end();
  await wait(10);
  third.end();
  await wait(0);
  expect([second, third, fourth].map(({ begun }) => begun())).toEqual([false, true, true]);
  fourth.end();
  expect(await Promise.all(outcomes)).toEqual(['done', 'refused', 'done', 'done']);
});

test('a turn stays taken for the rest after a piece', async () => {
  jest.useFakeTimers();
  const restMillis = (took: number) => took * 2;
  const inTurn = createTurns({ atOnce: 1, longestQueue: 5, restMillis, refusal });
  const [first, second] = [piece(), piece()];
  const pieces = [inTurn(first.work), inTurn(second.work)];
  await jest.advanceTimersByTimeAsync(100);
  first.end();
  await jest.advanceTimersByTimeAsync(199);
  expect(second.begun()).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(second.begun()).toBe(true);
  second.end();
  expect(await Promise.all(pieces)).toEqual(['done', 'done']);
});

test('when more may run at once, the next end lets all of them begin', async () => {
  let atOnce = 1;
  const inTurn = createTurns({ atOnce: () => atOnce, longestQueue: 5, refusal });
  const all = [piece(), piece(), piece(), piece()];
  const pieces = all.map(({ work }) => inTurn(work));
  atOnce = 2;
  all[0]!.end();
  await pieces[0];
  await new Promise(setImmediate);
  expect(all.map(({ begun }) => begun())).toEqual([true, true, true, false]);
  for (const { end } of all) end();
  await Promise.all(pieces);
});
