// Whether the next batch is taken to hold nothing that is stored already: by how the last guesses turned out.

/** Where sessions come again in every batch, one of so many is taken to be new in vain. */
const longestPause = 64;

export interface NewnessGuess {
  /** To be asked once for each batch. */
  expectsNew(): boolean;
  /** How it turned out for a batch of which it was expected. */
  learn(wasNew: boolean): void;
}

/** After each wrong guess in a row twice as many batches are not taken to be new. */
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
