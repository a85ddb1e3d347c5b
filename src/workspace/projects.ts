// query projects: the projects of the caller's organization, oldest first.
import { type Caller, type ViewedProject, withViewer, type WorkspaceLoaders } from './workspace.ts';

export async function projects(
  _args: unknown,
  { caller, loaders }: { caller: Caller; loaders: WorkspaceLoaders },
): Promise<ViewedProject[]> {
  const rows = await loaders.projectsOfOrganization.load(caller.organizationId);
  return rows.map((row) => withViewer(caller, row));
}
