// Hashes and compares passwords with argon2id, two at a time and in turns of networks: each takes some 30 ms of a thread that file and DNS work also needs.
import { randomBytes } from 'node:crypto';
import { AppError } from '../platform/errors.ts';
import { hashPassword, matchesHash } from '../platform/passwordHash.ts';
import { createLimiter } from '../platform/turns.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a stored hash it does the same work and returns false. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
}

/** A full queue of 200 is about three seconds of work. */
const bounds = {
  atOnce: 2,
  longestQueue: 200,
  refusal: () => new AppError('rate_limited', { retryAfterSeconds: 5 }),
};

/** `refused` is a published password: it matches no stored hash. */
export function createPasswords(refused?: string): Passwords {
  const inTurn = createLimiter(bounds);
  let nobodysHash: string | undefined;
  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    async matches(storedHash, password) {
      nobodysHash ??= await inTurn(() => hashPassword(randomBytes(32).toString('base64')));
      const nobody = nobodysHash;
      const equal = await inTurn(() => matchesHash(storedHash ?? nobody, password));
      return equal && storedHash !== null && password !== refused;
    },
  };
}
