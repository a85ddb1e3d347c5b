// Short pauses of a job worker for tests: the service's own pauses are too long for them.

export const quickTiming = { beatMillis: 100, silentMillis: 400, pollMillis: 50, restartMillis: 50, stopMillis: 2_000 };
