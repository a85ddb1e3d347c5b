// A job worker in a hurry, for tests that cannot wait for the service's own pauses.

export const quickTiming = { beatMillis: 100, silentMillis: 400, pollMillis: 50, restartMillis: 50, stopMillis: 2_000 };
