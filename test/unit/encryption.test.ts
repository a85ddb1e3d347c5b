// Stored secrets can be read only with their key and only in their own row.
import { randomBytes, randomUUID } from 'node:crypto';
import { createEncryption } from '../../src/platform/encryption.ts';

const encryption = createEncryption(randomBytes(32));
const row = randomUUID();

test.each(['sec_0123456789abcdefghijklmnopqrstuv', '', 'é 🚀\0', 'x'.repeat(100_000)])('a value comes back', (text) => {
  expect(encryption.decrypt(encryption.encrypt(text, row), row)).toBe(text);
});

test('a value moved to another row cannot be read', () => {
  const sealed = encryption.encrypt('secret', row);
  expect(() => encryption.decrypt(sealed, randomUUID())).toThrow();
  expect(() => encryption.decrypt(sealed, row.toUpperCase())).toThrow();
  expect(() => encryption.decrypt(sealed, '')).toThrow();
});

test('a value cannot be read under another key', () => {
  expect(() => createEncryption(randomBytes(32)).decrypt(encryption.encrypt('secret', row), row)).toThrow();
});

test('a value changed in any byte, or cut anywhere, cannot be read', () => {
  const sealed = encryption.encrypt('secret', row);
  for (let i = 0; i < sealed.length; i++) {
    const changed = Uint8Array.from(sealed);
    changed[i]! ^= 1;
    expect(() => encryption.decrypt(changed, row)).toThrow();
    expect(() => encryption.decrypt(sealed.subarray(0, i), row)).toThrow();
  }
});

test('a value is never in clear, and the same value looks different each time', () => {
  const sealed = [encryption.encrypt('secret', row), encryption.encrypt('secret', row)].map((bytes) =>
    Buffer.from(bytes),
  );
  expect(sealed[0]!.equals(sealed[1]!)).toBe(false);
  expect(sealed[0]!.includes('secret')).toBe(false);
});

test('a value sealed by the first release is readable for ever', () => {
  // Made by hand with node:crypto: version 1, IV, tag, ciphertext.
  const sealed = Buffer.from(
    '01' +
      '00112233445566778899aabb' +
      '4efd4557f5ebc723c1e25e08d6cc554a' +
      'dee8a4c01331a48ec4eddedc9f5d83e207a53113f6f3acd8',
    'hex',
  );
  const fixed = createEncryption(Buffer.alloc(32, 7));
  expect(fixed.decrypt(sealed, '00000000-0000-7000-8000-000000000001')).toBe('sec_of_the_first_release');
});

test('an unknown version is told apart from a wrong key', () => {
  const sealed = encryption.encrypt('secret', row);
  sealed[0] = 9;
  expect(() => encryption.decrypt(sealed, row)).toThrow(/version 9/);
});

describe('with several keys', () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const sealedUnderOld = createEncryption(old).encrypt('secret', row);

  test('the first seals, and every one opens what names it', () => {
    const both = createEncryption(next, old);
    expect(both.decrypt(sealedUnderOld, row)).toBe('secret');
    const sealed = both.encrypt('newer', row);
    expect(Buffer.from(sealed).subarray(0, 9).equals(both.currentPrefix)).toBe(true);
    expect(createEncryption(next).decrypt(sealed, row)).toBe('newer');
    expect(() => createEncryption(old).decrypt(sealed, row)).toThrow(/not in ENCRYPTION_KEY/);
  });

  test('a value without a key id is opened by whichever key fits', () => {
    const first = createEncryption(randomBytes(32), Buffer.alloc(32, 7));
    const sealed = Buffer.from(
      '0100112233445566778899aabb4efd4557f5ebc723c1e25e08d6cc554adee8a4c01331a48ec4eddedc9f5d83e207a53113f6f3acd8',
      'hex',
    );
    expect(first.decrypt(sealed, '00000000-0000-7000-8000-000000000001')).toBe('sec_of_the_first_release');
    expect(() => first.decrypt(sealed, row)).toThrow();
  });

  test('a value that is given the name of another key cannot be read', () => {
    const both = createEncryption(next, old);
    const renamed = Uint8Array.from(Buffer.concat([both.currentPrefix, sealedUnderOld.subarray(9)]));
    expect(() => both.decrypt(renamed, row)).toThrow();
  });

  test('the name of a key does not tell the key', () => {
    expect(sealedUnderOld.subarray(1, 9)).not.toEqual(Uint8Array.from(old.subarray(0, 8)));
    expect(createEncryption(old).currentPrefix.equals(createEncryption(next).currentPrefix)).toBe(false);
  });
});
