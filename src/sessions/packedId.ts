// A lossless short form of the ids that SDKs make: nearly all are UUIDs, and each id is stored twice, in its row and in a key.
import { lowercaseUuid, uuidOfHex } from '../platform/uuid.ts';

const form = { text: 0, lowercaseUuid: 1, uppercaseUuid: 2 };
/** The first byte of nearly all packed ids; the sixteen bytes of the UUID follow. */
export const lowercaseUuidTag = form.lowercaseUuid;

/** One byte for the form, then the 16 bytes of a UUID in one letter case, or the UTF-8 text of any other id. */
export function packId(id: string): Buffer {
  if (id.length === 36) {
    if (lowercaseUuid.test(id)) return packUuid(form.lowercaseUuid, id);
    const lower = id.toLowerCase();
    if (lowercaseUuid.test(lower) && lower.toUpperCase() === id) return packUuid(form.uppercaseUuid, id);
  }
  const text = Buffer.from(id, 'utf8');
  return Buffer.concat([Buffer.of(form.text), text]);
}

function packUuid(tag: number, id: string): Buffer {
  const packed = Buffer.allocUnsafe(17);
  packed[0] = tag;
  packed.write(hexOf(id), 1, 'hex');
  return packed;
}

export function unpackId(packed: Uint8Array): string {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes[0] === form.text) return bytes.toString('utf8', 1);
  const id = uuidOfHex(bytes.toString('hex', 1));
  return bytes[0] === form.uppercaseUuid ? id.toUpperCase() : id;
}

/** The digits of a UUID, cut by position: a search for the hyphens takes twice as long. */
function hexOf(id: string): string {
  return `${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;
}
