// The two forms of these tests: the short one runs beside all other tests, the long one needs a machine of its own.

export const isLong = process.env['FAULTS'] === 'long';

/**
 * The long form holds the promised time limits. Beside other tests, on a machine that others use too, they are twenty times as
 * long, so that only a hang fails.
 */
export const slack = isLong ? 1 : 20;
