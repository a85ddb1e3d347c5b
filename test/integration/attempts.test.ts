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

test('the networks of one site count together, ten times as many, and a neighbour from whose network the account logs in goes on', async () => {
  const at = (network: number, site = '1') => ({ address: `2001:db8:${site}:${network.toString(16)}::1` });
  const all = Array.from({ length: 60 }, (_, network) => at(network));
  const waits = await each(all);
  expect([waits.filter((wait) => wait === 0).length, waits.slice(50)]).toEqual([50, Array<number>(10).fill(60)]);
  expect(await each([at(1, '2'), { address: '192.0.2.1' }])).toEqual([0, 0]);
  const neighbour = { account: 'ann@example.com', ...at(999) };
  expect(await attempt(neighbour)).toBe(60);
  await attempts.noteLogin(neighbour);
  expect(await attempt(neighbour)).toBe(0);
  // What only looks finds the site full, too.
  const token = (address: string) => ({ mutation: 'refreshToken' as const, account: `token of ${address}`, address });
  for (const { address } of all.slice(0, 50)) await (await attempts.check(token(address))).failed();
  await expect(attempts.check(token(at(998).address))).rejects.toMatchObject({ code: 'rate_limited' });
  await attempts.check(token(at(998, '2').address));
});

test('a login that succeeds takes its attempt back from the site, too', async () => {
  for (let time = 0; time < 60; time += 1) {
    const address = `2001:db8:1:${time.toString(16)}::1`;
    const counted = await attempts({ mutation: 'login', account: `a${(accounts += 1)}@b.c`, address });
    await counted.succeeded();
  }
});

test('each mutation counts for itself, for the account as for the address', async () => {
  const account = 'ann@example.com';
  expect(await each([...times(4, { account }), ...times(2)])).toEqual([0, 0, 0, 60, 0, 60]);
  expect(await each(times(4, { account, mutation: 'resetPassword' }))).toEqual([0, 0, 0, 60]);
});

test('at a sign-up each network counts for itself, so that no stranger keeps an address from it', async () => {
  const signup = { account: 'ann@example.com', mutation: 'signup' } as const;
  expect(await each(times(4, signup))).toEqual([0, 0, 0, 60]);
  expect(await each(times(4, { ...signup, address: '192.0.2.2' }))).toEqual([0, 0, 0, 60]);
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

const other = '198.51.100.7';
/** Counts the attempts that are let in; each succeeds. */
const succeed = async (count: number, given: Attempt): Promise<number> => {
  for (let done = 0; done < count; done += 1) await (await attempts(given)).succeeded();
  return count;
};

test('what succeeds counts neither against the account nor against the network', async () => {
  const given: Attempt = { mutation: 'login', account: 'ann@example.com', address: '192.0.2.1' };
  await attempts(given);
  expect(await succeed(12, given)).toBe(12);
  // The one that failed still counts against the network, and no longer against the account.
  expect(await each([...times(3, { account: given.account }), {}, {}])).toEqual([0, 0, 0, 0, 60]);
});

test('of many at once no more are let in than there are attempts', async () => {
  const waits = await Promise.all(times(12).map((one) => attempt({ ...one, account: 'ann@example.com' })));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
});

test('a network from which the account has logged in has attempts of its own at login, for 30 days', async () => {
  const owner = { account: 'ann@example.com', address: '192.0.2.1' };
  await attempts.noteLogin(owner);
  const own = { mutation: 'login' as const, ...owner };
  const strange = { ...own, address: other };
  expect(await each([...times(4, strange), ...times(4, own)])).toEqual([0, 0, 0, 60, 0, 0, 0, 60]);
  expect(await each(times(4, { ...own, account: 'bob@example.com', address: '192.0.2.3' }))).toEqual([0, 0, 0, 60]);
  now = new Date(now.getTime() + 30 * 24 * 3_600_000 + 1_000);
  expect(await each([...times(4, strange), own])).toEqual([0, 0, 0, 60, 60]);
});

test('the attempts at an account end when its mailbox or password is proved, also those of the own network', async () => {
  const owner = { account: 'ann@example.com', address: '192.0.2.1' };
  await each(times(4, { ...owner, address: other }));
  await attempts.noteLogin(owner);
  await each(times(3, owner));
  await attempts.clear(owner);
  expect(await each([{ ...owner, address: other }, owner])).toEqual([0, 0]);
  expect(await attempt({ ...owner, mutation: 'resetPassword' })).toBe(0);
});

test('attempts at the password by a stolen bearer end with it too, and those at emailChange stay: they send mails', async () => {
  const owner = { account: 'ann@example.com', address: '192.0.2.1' };
  for (const mutation of ['passwordChange', 'emailChange'] as const) {
    await each(times(3, { ...owner, mutation, address: other }));
    await attempts.clear(owner);
    expect(await attempt({ ...owner, mutation })).toBe(mutation === 'emailChange' ? 60 : 0);
  }
});

test('a mailbox gets two mails in a window, whoever asks for them, and only a network is refused', async () => {
  const given: Attempt = { mutation: 'resetPassword', account: 'ann@example.com', address: '192.0.2.1' };
  await attempts.noteLogin(given);
  const may = [];
  for (let time = 0; time < 5; time += 1) may.push(await attempts.mayMail(given));
  expect(may).toEqual([true, true, false, false, false]);
  expect(await attempts.mayMail({ ...given, address: other })).toBe(false);
  await expect(attempts.mayMail(given)).rejects.toMatchObject({ code: 'rate_limited' });
  await attempts.clear(given);
  expect(await attempts.mayMail({ ...given, address: other })).toBe(true);
});

test('a mailbox gets eight mails in an hour that others ask for, three of them from one site', async () => {
  const ask = async (account: string, ...addresses: string[]) => {
    const waits = [];
    for (const address of addresses) waits.push(await attempts.askedMail({ account, address }));
    return waits;
  };
  const inSite = (site: number) => [1, 2, 3, 4].map((network) => `2001:db8:${site}:${network}::1`);
  expect(await ask('ann@example.com', ...inSite(1), ...inSite(2))).toEqual([0, 0, 0, 3_600, 0, 0, 0, 3_600]);
  expect(await ask('ann@example.com', ...inSite(3))).toEqual([0, 0, 3_600, 3_600]);
  expect(await ask('bob@example.com', ...inSite(1))).toEqual([0, 0, 0, 3_600]);
  const owner: Attempt = { mutation: 'resetPassword', account: 'ann@example.com', address: '192.0.2.1' };
  expect(await attempts.mayMail(owner)).toBe(true);
  now = new Date(now.getTime() + 3_600_000);
  expect(await ask('ann@example.com', inSite(1)[0]!)).toEqual([0]);
});

test('an organization sends a hundred invitations in an hour', async () => {
  for (let time = 0; time < 100; time += 1) await attempts.invitation('one');
  now = new Date(now.getTime() + 3_599_000);
  await expect(attempts.invitation('one')).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } });
  await attempts.invitation('another');
  now = new Date(now.getTime() + 1_000);
  await attempts.invitation('one');
});

test('a token is looked at first, and counts when it has failed', async () => {
  const given: Attempt = { mutation: 'refreshToken', account: 'a token', address: '192.0.2.1' };
  await Promise.all(times(20).map(() => attempts.check(given)));
  for (let time = 0; time < 3; time += 1) await (await attempts.check(given)).failed();
  await expect(attempts.check(given)).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } });
  for (const account of ['b', 'c']) await (await attempts.check({ ...given, account })).failed();
  await expect(attempts.check({ ...given, account: 'd' })).rejects.toMatchObject({ code: 'rate_limited' });
});
