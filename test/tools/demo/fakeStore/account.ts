// Makes an account of the fake store: credentials for the service, which the fake store accepts.
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
