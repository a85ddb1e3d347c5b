// The SQL of store credentials: every change gets a new version.
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { findStoreCredentials, saveStoreCredentials } from '../../src/purchases/storeCredentialsStore.ts';
import { newAccount } from '../support/fakeStore.ts';
import { encryptionKey } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('two changes in one transaction have two versions', async () => {
  const { application, database } = service;
  const encryption = createEncryption(encryptionKey);
  const versions = await inTransaction(database.pool, async (client) => {
    const found: (string | null)[] = [];
    for (const credentials of [newAccount(), newAccount()]) {
      await saveStoreCredentials(client, encryption, { applicationId: application.id, credentials });
      found.push((await findStoreCredentials(client, encryption, application.id)).version);
    }
    return found;
  });
  expect(versions).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set(versions).size).toBe(2);
});
