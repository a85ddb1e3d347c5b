// Gives the run's application its credentials for the fake store.
import type { AdminApi } from './adminApi.ts';
import type { FakeAccount } from './fakeStore/fakeStore.ts';

export async function setStoreCredentials(admin: AdminApi, applicationId: string, account: FakeAccount): Promise<void> {
  await admin.ask('mutation Credentials($input: StoreCredentialsEditInput!) { storeCredentialsEdit(input: $input) }', {
    input: { ...account, applicationId },
  });
}
