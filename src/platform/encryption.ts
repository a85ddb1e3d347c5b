// Encrypts secrets at rest: AES-256-GCM, bound to the row, so that a value copied to another row cannot be decrypted.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyIdOf } from './keyId.ts';

export interface Encryption {
  /** `rowId` is authenticated with the value. Decryption with another row id throws. */
  encrypt(text: string, rowId: string): Uint8Array<ArrayBuffer>;
  decrypt(sealed: Uint8Array, rowId: string): string;
  /** The first bytes of each value under the current key. A value that begins otherwise needs to be sealed again. */
  readonly currentPrefix: Buffer;
  /** The first bytes of values that the configured keys can open. */
  readonly prefixes: readonly Buffer[];
}

const versions = { withoutKeyId: 1, withKeyId: 2 };
const idLength = 8;
const ivLength = 12;
const tagLength = 16;

/**
 * Layout: 1 byte version (2), 8 bytes key id, 12 bytes IV, 16 bytes tag, then the ciphertext. The first nine bytes are
 * authenticated together with the row's id. Without the key id each key would have to be tried: version 1 has none, and is
 * only read. Each key has 32 bytes.
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

/** Throws the error of the last key that was tried. */
function openWithAny(keys: { key: Buffer }[], body: Uint8Array, boundData: Buffer): string {
  const [first, ...others] = keys;
  try {
    return open(first!.key, body, boundData);
  } catch (error) {
    if (others.length === 0) throw error;
    return openWithAny(others, body, boundData);
  }
}
