// Short pauses of a job worker for tests: the service's own pauses are too long for them.

/** On a busy machine a beat may be late by seconds: nobody takes such a worker for dead. */
export const quickTiming = {
  beatMillis: 100,
  silentMillis: 30_000,
  pollMillis: 50,
  restartMillis: 50,
  stopMillis: 2_000,
};

/** For tests in which a worker is dead. */
export const mortalTiming = { ...quickTiming, silentMillis: 400 };
