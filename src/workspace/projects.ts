// query projects: the projects of the caller's organization, oldest first.
import { seenBy, type Caller, type SeenProject } from './caller.ts';
import type { WorkspaceLoaders } from './workspaceLoaders.ts';

export async function projects(
  _args: unknown,
  { caller, loaders }: { caller: Caller; loaders: WorkspaceLoaders },
): Promise<SeenProject[]> {
  const rows = await loaders.projectsOfOrganization.load(caller.organizationId);
  return rows.map((row) => seenBy(caller, row));
}
