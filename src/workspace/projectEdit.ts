// mutation projectEdit: creates a project, or edits one of the caller's organization.
import type { MutationProjectEditArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { seenBy, type Caller } from './caller.ts';
import type { SeenProject } from './nestedFields.ts';
import { insertProject, updateProject } from './workspaceEditsStore.ts';

/** Throws `validation_failed`, `not_found`. */
export async function projectEdit(
  { input }: MutationProjectEditArgs,
  { caller, prisma }: { caller: Caller; prisma: PrismaClient },
): Promise<SeenProject> {
  const { organizationId } = caller;
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, !input.id);
  const image = rules.picture('input.image', input.image);
  rules.assert();
  const project = input.id
    ? await updateProject(prisma, { organizationId, id: input.id }, { name, image })
    : await insertProject(prisma, { organizationId, name: name!, image: image ?? null });
  if (!project) throw new AppError('not_found', undefined);
  return seenBy(caller, project);
}
