// mutation storeCredentialsEdit: sets or clears what the service asks the store with; what waits for it is looked up again.
import type { Pool } from 'pg';
import type { MutationStoreCredentialsEditArgs } from '../../generated/graphql.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { inTransaction } from '../platform/transaction.ts';
import type { Caller } from '../workspace/caller.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import { readStoreCredentials } from './storeCredentials.ts';
import { saveStoreCredentials } from './storeCredentialsStore.ts';

interface Needs {
  caller: Caller;
  pool: Pool;
  encryption: Encryption;
}

/** Throws `validation_failed`, `not_found` (the application). */
export async function storeCredentialsEdit(
  { input: { applicationId, ...input } }: MutationStoreCredentialsEditArgs,
  { caller: { organizationId }, pool, encryption }: Needs,
): Promise<true> {
  const reading = readStoreCredentials(input);
  if ('fields' in reading) throw new AppError('validation_failed', { fields: reading.fields });
  await inTransaction(pool, async (client) => {
    const own = await lockApplication(client, { organizationId, id: applicationId });
    if (!own) throw new AppError('not_found', undefined);
    await saveStoreCredentials(client, encryption, { applicationId, credentials: reading.credentials });
  });
  return true;
}
