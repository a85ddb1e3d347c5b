// mutation organizationEdit: the caller's own organization.
import type { Pool } from 'pg';
import type { MutationOrganizationEditArgs } from '../../generated/graphql.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inTransaction } from '../platform/transaction.ts';
import { seenBy, type Caller } from './caller.ts';
import type { SeenOrganization } from './nestedFields.ts';
import { updateOrganization } from './workspaceEditsStore.ts';

/** Throws `validation_failed`. */
export async function organizationEdit(
  { input }: MutationOrganizationEditArgs,
  { caller, pool }: { caller: Caller; pool: Pool },
): Promise<SeenOrganization> {
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, false);
  const logo = rules.picture('input.logo', input.logo);
  rules.assert();
  const organization = await inTransaction(pool, (client) =>
    updateOrganization(client, caller.organizationId, { name, logo }),
  );
  if (!organization) throw new AppError('not_found', undefined);
  return seenBy(caller, organization);
}
