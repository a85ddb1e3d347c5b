// The two forms of these tests: the short one runs with all tests, beside others; the long one is for a machine of its own.

export const isLong = process.env['FAULTS'] === 'long';

/** Bounds of time are the promise in the long form; beside other tests they are this much wider, so that only a hang fails. */
export const slack = isLong ? 1 : 4;
