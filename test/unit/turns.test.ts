// Turns: so many pieces of work at once, and neither an endless queue nor an endless wait.
import { createTurns } from '../../src/platform/turns.ts';

const refusal = () => new Error('refused');

function piece(): { work: () => Promise<string>; end: () => void; begun: () => boolean } {
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
