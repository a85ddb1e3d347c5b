// mutation projectEdit: creates a project, or edits one of the caller's organization.
import type { ProjectEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { type Caller, type EditNeeds, type ProjectRecord, type ViewedProject, withViewer } from './workspace.ts';
import { lockOrganization, lockProject } from './workspaceEditsStore.ts';

/** An absent field stays unchanged. */
interface ProjectChange {
  name?: string | undefined;
  image?: string | null | undefined;
}

const mostProjects = 1_000;

/** Throws `validation_failed`, `not_found`. */
export async function projectEdit(
  { input }: { input: EveryField<ProjectEditInput, Record<'id' | 'name' | 'image', true>> },
  { caller, adminPool }: EditNeeds,
): Promise<ViewedProject> {
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, !input.id);
  const image = rules.picture('input.image', input.image);
  rules.assert();
  const project = await inTransaction(adminPool, (transaction) =>
    input.id
      ? edit(transaction, caller, { id: input.id, change: { name, image } })
      : create(transaction, caller, { name: name!, image: image ?? null }),
  );
  if (!project) throw new AppError('not_found', undefined);
  return withViewer(caller, project);
}

async function create(
  transaction: AdminTransaction,
  caller: Caller,
  fields: { name: string; image: string | null },
): Promise<ProjectRecord> {
  const { organizationId } = caller;
  await lockOrganization(transaction, organizationId);
  const count = await transaction.prisma.project.count({ where: { organizationId, deletedAt: null } });
  assertRoom({ count, most: mostProjects, path: 'input', objects: 'projects' });
  const project = { id: newId(), organizationId, ...fields };
  await transaction.prisma.project.createMany({ data: project });
  const details = changedFields(null, fields);
  await audit(transaction, caller, { action: 'projectEdit', objectType: 'project', objectId: project.id, details });
  return project;
}

async function edit(
  transaction: AdminTransaction,
  caller: Caller,
  { id, change }: { id: string; change: ProjectChange },
): Promise<ProjectRecord | null> {
  const before = await lockProject(transaction, { organizationId: caller.organizationId, id });
  if (!before) return null;
  const details = changedFields(before, change);
  if (Object.keys(details).length === 0) return before;
  const { name = before.name, image = before.image } = change;
  const project = { ...before, name, image };
  await transaction.prisma.project.updateMany({ where: { id }, data: { name, image } });
  await audit(transaction, caller, { action: 'projectEdit', objectType: 'project', objectId: id, details });
  return project;
}
