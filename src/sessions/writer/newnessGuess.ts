// Guesses whether the next batch holds only new uploads, by how the last guesses turned out.

/** After repeated misses the fast way is tried for one batch in 65. */
const longestPause = 64;

export interface NewnessGuess {
  /** Asked once for each batch. */
  expectsNew(): boolean;
  /** Called for each batch that was expected to be new. */
  learn(wasNew: boolean): void;
}

/** After each wrong guess in a row, twice as many batches are taken as known. */
export function createNewnessGuess(): NewnessGuess {
  let pause = 0;
  let left = 0;
  return {
    expectsNew: () => left-- <= 0,
    learn(wasNew) {
      pause = wasNew ? 0 : Math.min(Math.max(1, pause * 2), longestPause);
      left = pause;
    },
  };
}
