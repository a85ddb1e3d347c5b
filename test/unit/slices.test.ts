// Heavy work in slices: its results, its order, and how often the event loop turns meanwhile.
import { createSlices } from '../../src/platform/slices.ts';

/** Counts the turns of the event loop until it is stopped. */
function countRounds(): { stop: () => number } {
  let rounds = 0;
  let next = setImmediate(function count() {
    rounds += 1;
    next = setImmediate(count);
  });
  return { stop: () => (clearImmediate(next), rounds) };
}

test('pieces are done in their order, and each answers or throws for itself', async () => {
  const inSlices = createSlices({ sliceMillis: 1_000, rounds: 1 });
  const done: number[] = [];
  const pieces = [1, 2, 3].map((piece) =>
    inSlices(() => {
      done.push(piece);
      if (piece === 2) throw new Error('the second');
      return piece * 10;
    }),
  );
  const outcomes = await Promise.allSettled(pieces);
  expect(done).toEqual([1, 2, 3]);
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason)))).toEqual([
    10,
    'Error: the second',
    30,
  ]);
  await expect(inSlices(() => 'later')).resolves.toBe('later');
});

test('the loop comes round between two slices, and not within one', async () => {
  const run = async (sliceMillis: number): Promise<number> => {
    const inSlices = createSlices({ sliceMillis, rounds: 16 });
    const counter = countRounds();
    await Promise.all(Array.from({ length: 10 }, () => inSlices(() => undefined)));
    return counter.stop();
  };
  // With a slice of 0 ms, each slice contains one piece of work.
  expect(await run(0)).toBeGreaterThanOrEqual(9 * 16);
  expect(await run(60_000)).toBeLessThanOrEqual(1);
});
