// query organization: the caller's organization.
import { type Caller, seenBy, type SeenOrganization, type WorkspaceLoaders } from './workspace.ts';

export async function organization(
  _args: unknown,
  { caller, loaders }: { caller: Caller; loaders: WorkspaceLoaders },
): Promise<SeenOrganization> {
  return seenBy(caller, await loaders.organization.load(caller.organizationId));
}
