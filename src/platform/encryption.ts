// Secrets at rest: AES-256-GCM, bound to the row that holds them, so that a value moved to another row cannot be read.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyIdOf } from './keyId.ts';

export interface Encryption {
  /** `rowId` is authenticated with the value: decrypting under another one throws. */
  encrypt(text: string, rowId: string): Uint8Array<ArrayBuffer>;
  decrypt(sealed: Uint8Array, rowId: string): string;
  /** How every value begins that was sealed under the current key: what begins otherwise is to be sealed anew. */
  readonly currentPrefix: Buffer;
  /** How values begin that one of the keys may open. */
  readonly prefixes: readonly Buffer[];
}

const versions = { withoutKeyId: 1, withKeyId: 2 };
const idLength = 8;
const ivLength = 12;
const tagLength = 16;

/**
 * Layout: one byte of version (2), 8 of the key's id, 12 of IV, 16 of tag, then the ciphertext; the first nine are
 * authenticated with the row's id. Version 1 had no key id and is only read. `current` and `older` have 32 bytes each.
 */
export function createEncryption(current: Buffer, ...older: Buffer[]): Encryption {
  const keys = [current, ...older].map((key) => ({ key, id: keyIdOf(key, 'encryption key id') }));
  const prefixes = keys.map(({ id }) => Buffer.concat([Buffer.of(versions.withKeyId), id]));
  const currentPrefix = prefixes[0]!;
  return {
    currentPrefix,
    prefixes: [...prefixes, Buffer.of(versions.withoutKeyId)],
    encrypt(text, rowId) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', current, iv).setAAD(boundTo(currentPrefix, rowId));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Uint8Array.from(Buffer.concat([currentPrefix, iv, cipher.getAuthTag(), ciphertext]));
    },
    decrypt(sealed, rowId) {
      if (sealed[0] === versions.withoutKeyId) return openWithAny(keys, sealed.subarray(1), Buffer.from(rowId));
      if (sealed[0] !== versions.withKeyId) {
        throw new Error(`an encrypted value has the unknown version ${sealed[0]}`);
      }
      const prefix = sealed.subarray(0, 1 + idLength);
      const named = keys.find(({ id }) => id.equals(prefix.subarray(1)));
      if (!named) throw new Error('an encrypted value is sealed under a key that is not in ENCRYPTION_KEY');
      return open(named.key, sealed.subarray(prefix.length), boundTo(prefix, rowId));
    },
  };
}

function boundTo(prefix: Uint8Array, rowId: string): Buffer {
  return Buffer.concat([prefix, Buffer.from(rowId)]);
}

function open(key: Buffer, body: Uint8Array, boundData: Buffer): string {
  const iv = body.subarray(0, ivLength);
  const tag = body.subarray(ivLength, ivLength + tagLength);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
    .setAAD(boundData)
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(body.subarray(ivLength + tagLength)), decipher.final()]).toString('utf8');
}

/** The error of the last key stands for all of them. */
function openWithAny(keys: { key: Buffer }[], body: Uint8Array, boundData: Buffer): string {
  const [first, ...others] = keys;
  try {
    return open(first!.key, body, boundData);
  } catch (error) {
    if (others.length === 0) throw error;
    return openWithAny(others, body, boundData);
  }
}
