// mutation apiKeyCreate: adds a key to an application, beside its live keys.
import type { MutationApiKeyCreateArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { assertRoom, inputRules } from '../platform/inputRules.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { insertApiKey, newApiKey } from './applicationDirectory.ts';
import { readLabel } from './apiKeyEdit.ts';
import { type EditNeeds, type ViewedApiKey, withViewer } from './workspace.ts';
import { lockApplication } from './workspaceEditsStore.ts';

interface Needs extends EditNeeds {
  encryption: Encryption;
}

/** Of an application, revoked ones not counted. */
const mostKeys = 1_000;

/** Throws `validation_failed`, `not_found` (the application). */
export async function apiKeyCreate(
  args: MutationApiKeyCreateArgs,
  { caller, adminPool, encryption }: Needs,
): Promise<ViewedApiKey> {
  const { applicationId } = args;
  const rules = inputRules();
  const label = readLabel(rules, 'label', args.label) ?? null;
  rules.assert();
  const own = { organizationId: caller.organizationId, id: applicationId };
  const key = newApiKey();
  const row = await inTransaction(adminPool, async (transaction) => {
    if (!(await lockApplication(transaction, own))) throw new AppError('not_found', undefined);
    const count = await transaction.prisma.apiKey.count({ where: { applicationId, revokedAt: null } });
    assertRoom({ count, most: mostKeys, path: 'applicationId', objects: 'keys' });
    const inserted = await insertApiKey(transaction, encryption, {
      applicationId,
      key,
      label,
      createdBy: caller.email,
    });
    const entry = { action: 'apiKeyCreate', objectType: 'apiKey', objectId: key.public } as const;
    await audit(transaction, caller, { ...entry, details: { applicationId } });
    return inserted;
  });
  return withViewer(caller, row);
}
