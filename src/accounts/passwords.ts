// Hashes and compares passwords with argon2id, a few at a time: each takes some 30 ms of a thread that file and DNS work needs too.
import { randomBytes } from 'node:crypto';
import { hash, verify } from 'argon2';
import { AppError } from '../platform/errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a stored hash it does the same work and answers false. */
  matches(storedHash: string | null, password: string): Promise<boolean>;
}

const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnce = 2;
/** About three seconds of work; whoever comes after that is told to come again. */
const longestQueue = 200;
const retryAfterSeconds = 5;

export function createPasswords(): Passwords {
  const inTurn = createTurns();
  let nobodysHash: Promise<string> | undefined;
  const hashOf = (password: string) => hash(password, argon2id);
  return {
    hash: (password) => inTurn(() => hashOf(password)),
    async matches(storedHash, password) {
      nobodysHash ??= hashOf(randomBytes(32).toString('base64'));
      const nobody = await nobodysHash;
      const equal = await inTurn(() => verify(storedHash ?? nobody, password));
      return equal && storedHash !== null;
    },
  };
}

/** Runs work in the order it came, `atOnce` pieces side by side. Throws `rate_limited` when the queue is full. */
function createTurns() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running === atOnce) {
      if (waiting.length === longestQueue) throw new AppError('rate_limited', { retryAfterSeconds });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
