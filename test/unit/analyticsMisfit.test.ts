// A copy belongs to one database, one history of it, and a log that still has what the copy has not read.
import { misfit } from '../../src/analytics/copy/openCopy.ts';

const identity = { system: '7', database: '5', timeline: '00000001' };
const day = 86_400_000_000n;
const now = 2_000_000n * day;
const state = {
  ...identity,
  ...{ nextXid: 90n, seenXid: 100n, asOf: now - day, complete: true, removedSince: null },
};

const cases: {
  name: string;
  is?: Partial<typeof identity>;
  had?: Partial<typeof state>;
  sees?: object;
  reason: string | null;
}[] = [
  { name: 'fits', reason: null },
  { name: 'fits with a clock that was set back', sees: { now: now - 30n * day }, reason: null },
  { name: 'another cluster', is: { system: '8' }, reason: 'it is of another database' },
  { name: 'a restored database', is: { database: '6' }, reason: 'it is of another database' },
  { name: 'a fail-over', is: { timeline: '00000002' }, reason: 'PostgreSQL has failed over or was restored' },
  { name: 'a backup in place', sees: { next: 99n }, reason: 'PostgreSQL is behind it: a backup was restored' },
  { name: 'a week without the log', had: { asOf: now - 7n * day }, reason: 'it is older than the log of changes' },
];

test.each(cases)('$name', ({ is, had, sees, reason }) => {
  expect(misfit({ ...state, ...had }, { ...identity, ...is }, { next: 100n, now, ...sees })).toBe(reason);
});
