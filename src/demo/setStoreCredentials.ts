// Gives the run's application credentials for the fake store, as the mutation storeCredentialsEdit does.
import type { Pool } from 'pg';
import { createEncryption } from '../platform/encryption.ts';
import { inTransaction } from '../platform/transaction.ts';
import type { StoreCredentials } from '../purchases/storeCredentials.ts';
import { saveStoreCredentials } from '../purchases/storeCredentialsStore.ts';

export interface CredentialsChange {
  applicationId: string;
  credentials: StoreCredentials;
  encryptionKey: Buffer;
}

export async function setStoreCredentials(pool: Pool, change: CredentialsChange): Promise<void> {
  const encryption = createEncryption(change.encryptionKey);
  await inTransaction(pool, (client) => saveStoreCredentials(client, encryption, change));
}
