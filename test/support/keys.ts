// Makes keys for tests that production would accept: they look random, and are the same in every run.
import { createHash } from 'node:crypto';

export function testKey(name: string): Buffer {
  return createHash('sha256').update(`test key ${name}`).digest();
}

/** In the format of ENCRYPTION_KEY and TOKEN_KEY: the first key is the current one. */
export function keyList(...names: string[]): string {
  return names.map((name) => testKey(name).toString('base64')).join(',');
}
