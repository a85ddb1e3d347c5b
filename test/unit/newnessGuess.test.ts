// The guess that a batch is new: kept while it is right, and made less often the longer it is wrong.
import { createNewnessGuess } from '../../src/sessions/writer/newnessGuess.ts';

/** The batches that the guess expected to be new; `isNew` gives each batch's outcome. */
function expected(batches: number, isNew: (batch: number) => boolean): number[] {
  const guess = createNewnessGuess();
  return Array.from({ length: batches }, (_, batch) => batch).filter((batch) => {
    const expects = guess.expectsNew();
    if (expects) guess.learn(isNew(batch));
    return expects;
  });
}

test('all batches are, while they turn out new', () => {
  expect(expected(100, () => true)).toHaveLength(100);
});

test('where none is new, one in sixty-five is in the end', () => {
  const guesses = expected(1_000, () => false);
  expect(guesses.slice(0, 8)).toEqual([0, 2, 5, 10, 19, 36, 69, 134]);
  expect(guesses.slice(6).every((batch, index, all) => index === 0 || batch - all[index - 1]! === 65)).toBe(true);
});

test('one that is new ends the pause for all that follow', () => {
  const guesses = expected(100, (batch) => batch >= 20);
  expect(guesses.filter((batch) => batch > 36)).toHaveLength(63);
});
