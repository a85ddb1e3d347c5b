// query organization: the caller's organization.
import { type Caller, type ViewedOrganization, withViewer, type WorkspaceLoaders } from './workspace.ts';

export async function organization(
  _args: unknown,
  { caller, loaders }: { caller: Caller; loaders: WorkspaceLoaders },
): Promise<ViewedOrganization> {
  return withViewer(caller, await loaders.organization.load(caller.organizationId));
}
