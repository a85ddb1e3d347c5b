// An account at the fake store: credentials that the service can be given, and that the fake store lets in.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { FakeAccount } from './fakeStore.ts';

export function newAccount(bundleId: string): FakeAccount {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { issuerId: randomUUID(), keyId: 'KEY1234567', privateKey, bundleId };
}
