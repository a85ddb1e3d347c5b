// query organization: the caller's organization.
import { seenBy, type Caller, type SeenOrganization } from './caller.ts';
import type { WorkspaceLoaders } from './workspaceLoaders.ts';

export async function organization(
  _args: unknown,
  { caller, loaders }: { caller: Caller; loaders: WorkspaceLoaders },
): Promise<SeenOrganization> {
  return seenBy(caller, await loaders.organization.load(caller.organizationId));
}
