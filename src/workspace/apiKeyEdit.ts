// mutation apiKeyEdit: gives a key another label, for people who tell keys apart.
import type { ApiKeyEditInput, MutationApiKeyEditArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { prepared } from '../platform/database/sql.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules, type InputRules, isStorableText } from '../platform/inputRules.ts';
import { type ApiKeyRecord, type EditNeeds, type ViewedApiKey, withViewer } from './workspace.ts';

/** Throws `validation_failed`, `not_found`. */
export async function apiKeyEdit(
  { input }: MutationApiKeyEditArgs,
  { caller, adminPool }: EditNeeds,
): Promise<ViewedApiKey> {
  const { publicKey, label } = read(input);
  if (!isStorableText(publicKey)) throw new AppError('not_found', undefined);
  const key = await inTransaction(adminPool, async (transaction) => {
    const before = await lockKey(transaction, { organizationId: caller.organizationId, publicKey });
    if (!before) throw new AppError('not_found', undefined);
    if (label === undefined || label === before.label) return before;
    await transaction.prisma.apiKey.updateMany({ where: { id: before.id }, data: { label } });
    const details = { applicationId: before.applicationId, label: { from: before.label, to: label } };
    await audit(transaction, caller, { action: 'apiKeyEdit', objectType: 'apiKey', objectId: publicKey, details });
    return { ...before, label };
  });
  return withViewer(caller, key);
}

function read(input: EveryField<ApiKeyEditInput, Record<'public' | 'label', true>>) {
  const rules = inputRules();
  const label = readLabel(rules, 'input.label', input.label);
  rules.assert();
  return { publicKey: input.public, label };
}

/** Absent means unchanged. Null and an empty text clear the label. */
export function readLabel(
  rules: InputRules,
  path: string,
  value: string | null | undefined,
): string | null | undefined {
  return value ? rules.name(path, value) : value === '' ? null : value;
}

/** SQL, because it locks. The row before an edit, revoked or not. Null where the organization has no such key of a live application. */
async function lockKey(
  transaction: Transaction,
  { organizationId, publicKey }: { organizationId: string; publicKey: string },
): Promise<ApiKeyRecord | null> {
  const statement = prepared('lock_key')`/* workspace: lockKey */
    SELECT k.id, k.application_id AS "applicationId", k.public, k.last_used AS "lastUsed", k.label,
      k.created_at AS "createdAt", k.created_by AS "createdBy", k.revoked_at AS "revokedAt"
    FROM api_keys k JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL
      JOIN projects p ON p.id = a.project_id
    WHERE k.public = ${publicKey} AND p.organization_id = ${organizationId} FOR NO KEY UPDATE OF k`;
  const { rows } = await transaction.query<ApiKeyRecord>(statement);
  return rows[0] ?? null;
}
