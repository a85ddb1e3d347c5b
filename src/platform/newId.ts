// Makes row ids: UUIDs of version 7. They sort by their millisecond, so new rows go to the right edge of the index.
import { randomBytes } from 'node:crypto';
import { uuidOfHex } from './uuid.ts';

export function newId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidOfHex(bytes.toString('hex'));
}
