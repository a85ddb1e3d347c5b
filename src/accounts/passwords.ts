// Hashes and compares passwords with argon2id, three at a time and in turns of networks: each takes some 30 ms of one of the four threads that file and DNS work also needs.
import { randomBytes } from 'node:crypto';
import { AppError } from '../platform/errors.ts';
import { hashPassword, matchesHash } from '../platform/passwordHash.ts';
import { createLimiter, type InTurn } from '../platform/turns.ts';

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
  const inTurn: Record<Asker, InTurn> = {
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
    hash: (password, asker) => inTurn[asker](() => hashPassword(password)),
    async matches(storedHash, password, asker) {
      const nobody = await hashOfNobody();
      const equal = await inTurn[asker](() => matchesHash(storedHash ?? nobody, password));
      return equal && storedHash !== null && password !== refused;
    },
  };
}
