// mutation organizationEdit: edits the caller's organization.
import type { OrganizationEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules } from '../platform/inputRules.ts';
import { type EditNeeds, type ViewedOrganization, withViewer } from './workspace.ts';
import { lockOrganization } from './workspaceEditsStore.ts';

/** Throws `validation_failed`. */
export async function organizationEdit(
  { input }: { input: EveryField<OrganizationEditInput, Record<'name' | 'logo', true>> },
  { caller, adminPool }: EditNeeds,
): Promise<ViewedOrganization> {
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, false);
  const logo = rules.picture('input.logo', input.logo);
  rules.assert();
  return inTransaction(adminPool, async (transaction) => {
    const before = await lockOrganization(transaction, caller.organizationId);
    if (!before) throw new AppError('not_found', undefined);
    const details = changedFields(before, { name, logo });
    if (Object.keys(details).length === 0) return withViewer(caller, before);
    const { id } = before;
    const changed = { name: name ?? before.name, logo: logo === undefined ? before.logo : logo };
    await transaction.prisma.organization.updateMany({ where: { id }, data: changed });
    await audit(transaction, caller, { action: 'organizationEdit', objectType: 'organization', objectId: id, details });
    return withViewer(caller, { id, ...changed });
  });
}
