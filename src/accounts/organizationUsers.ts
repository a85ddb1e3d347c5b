// Organization.users: all users, invited and disabled users too, oldest first.
import type { SeenOrganization } from '../workspace/caller.ts';
import type { UserLoaders } from './userLoaders.ts';
import type { UserRecord } from './usersStore.ts';

export function organizationUsers(
  { id }: SeenOrganization,
  _args: unknown,
  { loaders }: { loaders: UserLoaders },
): Promise<UserRecord[]> {
  return loaders.usersOfOrganization.load(id);
}
