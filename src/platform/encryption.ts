// Secrets at rest: AES-256-GCM, bound to the row that holds them, so that a value moved to another row cannot be read.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Encryption {
  /** `rowId` is authenticated with the value: decrypting under another one throws. */
  encrypt(text: string, rowId: string): Uint8Array<ArrayBuffer>;
  decrypt(sealed: Uint8Array, rowId: string): string;
}

const version = 1;
const ivLength = 12;
const tagLength = 16;

/** Layout: one byte of version, 12 of IV, 16 of tag, then the ciphertext. `key` has 32 bytes. */
export function createEncryption(key: Buffer): Encryption {
  return {
    encrypt(text, rowId) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(rowId));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Uint8Array.from(Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), ciphertext]));
    },
    decrypt(sealed, rowId) {
      if (sealed[0] !== version) throw new Error(`an encrypted value has the unknown version ${sealed[0]}`);
      const iv = sealed.subarray(1, 1 + ivLength);
      const tag = sealed.subarray(1 + ivLength, 1 + ivLength + tagLength);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
        .setAAD(Buffer.from(rowId))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(1 + ivLength + tagLength));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}
