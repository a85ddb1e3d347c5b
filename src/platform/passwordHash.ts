// Hashes passwords by argon2id with OWASP's minimum parameters. No other file hashes passwords.
import { hash, verify } from 'argon2';

const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, argon2id);
}

export function matchesHash(storedHash: string, password: string): Promise<boolean> {
  return verify(storedHash, password);
}
