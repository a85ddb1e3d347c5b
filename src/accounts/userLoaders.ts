// Loads users for nested fields: the users of many organizations in one statement.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { batchLists, type Batch } from '../platform/batch.ts';
import { findUsersOfOrganizations, type UserRecord } from './usersStore.ts';

export interface UserLoaders {
  usersOfOrganization: Batch<string, UserRecord[]>;
}

export function createUserLoaders(prisma: PrismaClient, budget: AnswerBudget): UserLoaders {
  return {
    usersOfOrganization: batchLists(
      budget,
      (ids, take) => findUsersOfOrganizations(prisma, ids, take),
      (user) => user.organizationId,
    ),
  };
}
