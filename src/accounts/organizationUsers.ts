// Organization.users: all members and invitations, disabled ones too, in the order in which they came.
import type { SeenOrganization } from '../workspace/caller.ts';
import type { MemberRecord } from './membersStore.ts';
import type { UserLoaders } from './userLoaders.ts';

export async function organizationUsers(
  { id, caller }: SeenOrganization,
  _args: unknown,
  { loaders }: { loaders: UserLoaders },
): Promise<MemberRecord[] | null> {
  return caller.organizationId === id ? loaders.usersOfOrganization.load(id) : null;
}
