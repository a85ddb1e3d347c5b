// mutation apiKeyEdit: gives a key another label, for people who tell keys apart.
import type { Pool } from 'pg';
import type { ApiKeyEditInput, MutationApiKeyEditArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { EveryField } from '../platform/everyField.ts';
import { inputRules, isStorableText, type InputRules } from '../platform/inputRules.ts';
import { lockKey, updateKeyLabel } from './apiKeyEditsStore.ts';
import { seenBy, type Caller, type SeenApiKey } from './caller.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
}

/** Throws `validation_failed`, `not_found`. */
export async function apiKeyEdit({ input }: MutationApiKeyEditArgs, { caller, adminPool }: Needs): Promise<SeenApiKey> {
  const { publicKey, label } = read(input);
  if (!isStorableText(publicKey)) throw new AppError('not_found', undefined);
  const key = await inTransaction(adminPool, async (transaction) => {
    const before = await lockKey(transaction, { organizationId: caller.organizationId, publicKey });
    if (!before) throw new AppError('not_found', undefined);
    if (label === undefined || label === before.label) return before;
    await updateKeyLabel(transaction, { id: before.id, label });
    const details = { applicationId: before.applicationId, label: { from: before.label, to: label } };
    await audit(transaction, caller, { action: 'apiKeyEdit', objectType: 'apiKey', objectId: publicKey, details });
    return { ...before, label };
  });
  return seenBy(caller, key);
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
