// mutation storeCredentialsEdit: sets or clears an application's store credentials. Waiting transactions are then looked up again.
import type { Pool } from 'pg';
import type { StoreCredentialsEditInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import type { EveryField } from '../platform/everyField.ts';
import type { Caller } from '../workspace/caller.ts';
import { holdApplication } from '../workspace/workspaceEditsStore.ts';
import { readStoreCredentials, type StoreCredentialsInput } from './storeCredentials.ts';
import { saveStoreCredentials } from './storeCredentialsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  encryption: Encryption;
}

type Field = 'applicationId' | keyof StoreCredentialsInput;

/** Throws `validation_failed`, `not_found` (the application). */
export async function storeCredentialsEdit(
  { input: { applicationId, ...input } }: { input: EveryField<StoreCredentialsEditInput, Record<Field, true>> },
  { caller, adminPool, encryption }: Needs,
): Promise<true> {
  const credentials = readStoreCredentials(input);
  await inTransaction(adminPool, async (transaction) => {
    const own = await holdApplication(transaction, { organizationId: caller.organizationId, id: applicationId });
    if (!own) throw new AppError('not_found', undefined);
    if (!(await saveStoreCredentials(transaction, encryption, { applicationId, credentials }))) return;
    const line = { action: 'storeCredentialsEdit', objectType: 'storeCredentials', objectId: applicationId } as const;
    await audit(transaction, caller, { ...line, details: { set: credentials !== null } });
  });
  return true;
}
