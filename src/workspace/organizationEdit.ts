// mutation organizationEdit: edits the caller's organization.
import type { OrganizationEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules } from '../platform/inputRules.ts';
import { seenBy, type Caller, type SeenOrganization } from './workspace.ts';
import { lockOrganization, updateOrganization } from './workspaceEditsStore.ts';

/** Throws `validation_failed`. */
export async function organizationEdit(
  { input }: { input: EveryField<OrganizationEditInput, Record<'name' | 'logo', true>> },
  { caller, adminPool }: { caller: Caller; adminPool: AdminPool },
): Promise<SeenOrganization> {
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, false);
  const logo = rules.picture('input.logo', input.logo);
  rules.assert();
  return inTransaction(adminPool, async (transaction) => {
    const before = await lockOrganization(transaction, caller.organizationId);
    if (!before) throw new AppError('not_found', undefined);
    const details = changedFields(before, { name, logo });
    if (Object.keys(details).length === 0) return seenBy(caller, before);
    const edited = { ...before, name: name ?? before.name, logo: logo === undefined ? before.logo : logo };
    await updateOrganization(transaction, edited);
    await audit(transaction, caller, {
      action: 'organizationEdit',
      objectType: 'organization',
      objectId: edited.id,
      details,
    });
    return seenBy(caller, edited);
  });
}
