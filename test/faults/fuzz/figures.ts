// The number of fuzzed requests and their seed: FAULTS=long is ten times the amount of `npm test`, SEED repeats a run.

export const long = process.env['FAULTS'] === 'long';

/** test/support/testRun.ts sets SEED for all files of a run, unless the environment contains it. */
export const seed = Number(process.env['SEED']);

const times = long ? 10 : 1;

/** Numbers of requests, each of which is sent twice: 20,000 in process, 2,000 over HTTP. */
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

export const timeoutMillis = long ? 1_800_000 : 600_000;

/** Printed once per file, so that a failed run can be repeated even when its error shows no seed. */
process.stderr.write(`fuzz: SEED=${seed}${long ? ' FAULTS=long' : ''}\n`);
