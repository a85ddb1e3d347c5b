// Makes the id of a secret key, which signed and sealed values carry. The id does not reveal the key.
import { createHash } from 'node:crypto';

/** The first 8 bytes of a hash. `purpose` gives one key different ids for different purposes. */
export function keyIdOf(key: Buffer, purpose: string): Buffer {
  return createHash('sha256').update(`${purpose}\n`).update(key).digest().subarray(0, 8);
}
