// Counted attempts: by what they are counted, who is refused and until when, and what the table stores.
import { createAttempts, type Attempt, type Attempts } from '../../src/accounts/attempts.ts';
import type { AppError } from '../../src/platform/errors.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let attempts: Attempts;
let now: Date;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = new Date('2026-09-10T12:00:00Z');
  await database.pool.query('DELETE FROM attempts');
  const limits = { perAccount: 3, perAddress: 5, windowSeconds: 60 };
  attempts = createAttempts({ adminPool: database.pool, now: () => now }, limits);
});

let accounts = 0;
/** Uses a new account unless one is given; returns the seconds to wait, or 0 for a counted attempt. */
const attempt = (given: Partial<Attempt>): Promise<number> =>
  attempts({ mutation: 'login', account: `a${(accounts += 1)}@b.c`, address: '192.0.2.1', ...given }).then(
    () => 0,
    (refusal: AppError<'rate_limited'>) => refusal.details.retryAfterSeconds,
  );

async function each(all: Partial<Attempt>[]): Promise<number[]> {
  const waits: number[] = [];
  for (const one of all) waits.push(await attempt(one));
  return waits;
}

const times = (count: number, one: Partial<Attempt> = {}) => Array.from({ length: count }, () => one);

test('an address that is over its limit can no longer lock an account', async () => {
  const account = 'victim@example.com';
  expect(await each([...times(5), ...times(3, { account })])).toEqual([0, 0, 0, 0, 0, 60, 60, 60]);
  expect(await each(times(4, { account, address: '192.0.2.2' }))).toEqual([0, 0, 0, 60]);
});

test('the addresses that one customer can move about in count together', async () => {
  const from = (network: string) => [1, 2, 3, 4, 5, 6].map((host) => ({ address: `2001:db8:0:${network}::${host}` }));
  expect(await each(from('1'))).toEqual([0, 0, 0, 0, 0, 60]);
  expect(await each(from('2').slice(1))).toEqual([0, 0, 0, 0, 0]);
});

test('each mutation counts for itself, for the account as for the address', async () => {
  const account = 'ann@example.com';
  expect(await each([...times(4, { account }), ...times(2)])).toEqual([0, 0, 0, 60, 0, 60]);
  expect(await each(times(4, { account, mutation: 'resetPassword' }))).toEqual([0, 0, 0, 60]);
});

test('whoever waits as long as is said is let in, and nobody is told to wait for nothing', async () => {
  const account = 'ann@example.com';
  await each(times(3, { account }));
  for (const [after, left] of [
    [58_999, 2],
    [59_999, 1],
  ] as const) {
    now = new Date(Date.parse('2026-09-10T12:00:00Z') + after);
    expect(await attempt({ account, address: '192.0.2.2' })).toBe(left);
  }
  now = new Date(now.getTime() + 1_000);
  expect(await attempt({ account })).toBe(0);
});

test('what is stored names nobody', async () => {
  await attempt({ account: 'ann@example.com' });
  const { rows } = await database.pool.query<{ key: Buffer }>('SELECT key FROM attempts');
  expect(rows.map(({ key }) => key.length)).toEqual([32, 32]);
});
