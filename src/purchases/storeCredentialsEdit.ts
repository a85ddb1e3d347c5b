// mutation storeCredentialsEdit: sets or clears an application's store credentials. Waiting transactions are then looked up again.
import type { StoreCredentialsEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import type { EveryField } from '../platform/inputRules.ts';
import type { Caller } from '../workspace/workspace.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import {
  isNumberAlone,
  readStoreAppId,
  readStoreCredentials,
  saveStoreCredentials,
  type StoreCredentialsInput,
} from './storeCredentials.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  encryption: Encryption;
}

type Field = 'applicationId' | keyof StoreCredentialsInput;

/** Throws `validation_failed`, `not_found` (the application). */
export async function storeCredentialsEdit(
  { input: { applicationId, ...input } }: { input: EveryField<StoreCredentialsEditInput, Record<Field, true>> },
  { caller, adminPool, encryption }: Needs,
): Promise<true> {
  const credentials = readStoreCredentials(input);
  const storeAppId = readStoreAppId(input);
  const keepsCredentials = isNumberAlone(input);
  await inTransaction(adminPool, async (transaction) => {
    const before = await lockApplication(transaction, { organizationId: caller.organizationId, id: applicationId });
    if (!before) throw new AppError('not_found', undefined);
    const edited =
      !keepsCredentials && (await saveStoreCredentials(transaction, encryption, { applicationId, credentials }));
    const changed = changedFields(before, { storeAppId });
    if (storeAppId !== undefined && changed.storeAppId)
      await transaction.prisma.application.updateMany({ where: { id: applicationId }, data: { storeAppId } });
    const details = { ...(edited && { set: credentials !== null }), ...changed };
    if (Object.keys(details).length === 0) return;
    const line = { action: 'storeCredentialsEdit', objectType: 'storeCredentials', objectId: applicationId } as const;
    await audit(transaction, caller, { ...line, details });
  });
  return true;
}
