// Users as nested fields need them: those of many organizations in one statement.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { batchLists, type Batch } from '../platform/batch.ts';
import { findUsersOfOrganizations, type UserRecord } from './usersStore.ts';

export interface UserLoaders {
  usersOfOrganization: Batch<string, UserRecord[]>;
}

export function createUserLoaders(prisma: PrismaClient): UserLoaders {
  return {
    usersOfOrganization: batchLists(
      (ids) => findUsersOfOrganizations(prisma, ids),
      (user) => user.organizationId,
    ),
  };
}
