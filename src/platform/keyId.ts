// Names a secret key without telling it, so that what it has signed or sealed says under which key it was.
import { createHash } from 'node:crypto';

/** The first 8 bytes of a hash; `purpose` keeps the names of one key for two purposes apart. */
export function keyIdOf(key: Buffer, purpose: string): Buffer {
  return createHash('sha256').update(`${purpose}\n`).update(key).digest().subarray(0, 8);
}
