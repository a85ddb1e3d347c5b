// Comparing a password costs the same with and without an account: the time of a refused login does not reveal which.
import { jest } from '@jest/globals';

const matchesHash = jest.fn((storedHash: string, password: string) => Promise.resolve(storedHash === `of ${password}`));
const hashPassword = jest.fn((password: string) => Promise.resolve(`of ${password}`));
jest.unstable_mockModule('../../src/platform/passwordHash.ts', () => ({ hashPassword, matchesHash }));
const { inLane } = await import('../../src/platform/concurrencyLimiter.ts');
const { createPasswords } = await import('../../src/accounts/passwords.ts');

test.each([
  ['a stored hash', 'of right', true],
  ['another stored hash', 'of another', false],
  ['no stored hash', null, false],
])('with %s, one hash is compared', async (_, storedHash, expected) => {
  const passwords = createPasswords();
  await passwords.matches(null, 'warm-up', 'stranger');
  jest.clearAllMocks();
  expect(await passwords.matches(storedHash, 'right', 'stranger')).toBe(expected);
  expect(matchesHash).toHaveBeenCalledTimes(1);
  expect(hashPassword).not.toHaveBeenCalled();
});

/** So many at once, the order in which they end. */
function many(count: number, lane: string, passwords: ReturnType<typeof createPasswords>, ended: string[]) {
  return Array.from({ length: count }, (_, at) =>
    inLane(lane, () => passwords.matches(null, 'wrong', 'stranger')).then(
      () => ended.push(`${lane}${at}`),
      () => ended.push('refused'),
    ),
  );
}

test('beside a site that tries 400 passwords at once, another one has the next turn, and who is known does not wait', async () => {
  const passwords = createPasswords();
  await passwords.matches(null, 'warm-up', 'stranger');
  const ended: string[] = [];
  const bad = many(400, 'bad', passwords, ended);
  const honest = many(1, 'honest', passwords, ended);
  await inLane('bad', () => passwords.matches('of right', 'right', 'known')).then(() => ended.push('known'));
  await Promise.all([...bad, ...honest]);
  const done = ended.filter((one) => one !== 'refused');
  expect(done.indexOf('honest0')).toBeLessThan(4);
  expect(done.indexOf('known')).toBeLessThan(4);
  expect(ended.length - done.length).toBe(300);
});

test('without a stored hash even the password of the hash that stands in for it is refused', async () => {
  const passwords = createPasswords();
  await passwords.matches(null, 'anything', 'stranger');
  const [standIn] = hashPassword.mock.lastCall!;
  expect(await passwords.matches(null, standIn, 'stranger')).toBe(false);
});

test('a stand-in that could not be made is made at the next attempt', async () => {
  const passwords = createPasswords();
  hashPassword.mockRejectedValueOnce(new Error('no memory'));
  await expect(passwords.matches('of right', 'right', 'stranger')).rejects.toThrow('no memory');
  expect(await passwords.matches('of right', 'right', 'stranger')).toBe(true);
});
