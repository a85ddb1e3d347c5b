// How much is fuzzed, and from which seed: FAULTS=long is ten times what fits into `npm test`, SEED repeats a run.

export const long = process.env['FAULTS'] === 'long';

/** Set for all files of a run by test/support/testRun.ts, unless the environment names one. */
export const seed = Number(process.env['SEED']);

const times = long ? 10 : 1;

/** Requests, each of which is sent twice. In process 20,000 together, over HTTP 2,000. */
export const figures = {
  publicInProcess: {
    valid: 2_000 * times,
    edges: 1_000 * times,
    faults: 5_000 * times,
    dictionary: 2_000 * times,
    bytes: 1_500 * times,
    headers: 750 * times,
    query: 750 * times,
  },
  adminInProcess: { valid: 1_000 * times, faults: 2_500 * times, texts: 2_000 * times, requests: 1_500 * times },
  publicOverHttp: {
    valid: 250 * times,
    edges: 100 * times,
    faults: 250 * times,
    dictionary: 300 * times,
    bytes: 150 * times,
    headers: 100 * times,
    query: 100 * times,
  },
  lengths: 100 * times,
  adminOverHttp: { queries: 300 * times, mutations: 300 * times, requests: 150 * times },
} as const;

export const timeoutMillis = long ? 1_800_000 : 180_000;

/** Told once for each file, so that a run which failed can be repeated even when its failure told nothing. */
process.stderr.write(`fuzz: SEED=${seed}${long ? ' FAULTS=long' : ''}\n`);
