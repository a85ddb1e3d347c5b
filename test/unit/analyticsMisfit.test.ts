// A copy belongs to one database, one history of it, and a log that still has what the copy has not read.
import { misfit } from '../../src/analytics/copy/openCopy.ts';

const identity = { system: '7', database: '5', timeline: '00000001' };
const day = 86_400_000_000n;
const now = 2_000_000n * day;
const state = {
  ...identity,
  ...{ nextXid: 90n, seenXid: 100n, asOf: now - day, complete: true, removedSince: null },
};

test.each([
  ['fits', {}, identity, { next: 100n, now }, null],
  ['fits with a clock that was set back', {}, identity, { next: 100n, now: now - 30n * day }, null],
  ['another cluster', {}, { ...identity, system: '8' }, { next: 100n, now }, 'it is of another database'],
  ['a restored database', {}, { ...identity, database: '6' }, { next: 100n, now }, 'it is of another database'],
  [
    'a fail-over',
    {},
    { ...identity, timeline: '00000002' },
    { next: 100n, now },
    'PostgreSQL has failed over or was restored',
  ],
  [
    'a backup without a new timeline',
    {},
    identity,
    { next: 99n, now },
    'PostgreSQL is behind it: a backup was restored',
  ],
  [
    'a week without the log',
    { asOf: now - 7n * day },
    identity,
    { next: 100n, now },
    'it is older than the log of changes',
  ],
])('%s', (_what, change, present, horizon, reason) => {
  expect(misfit({ ...state, ...change }, present, horizon)).toBe(reason);
});
