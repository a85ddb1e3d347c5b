// Loads users for nested fields: the users of many organizations in one statement.
import type { Pool } from 'pg';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { batchLists, type Batch } from '../platform/batch.ts';
import { findMembersOfOrganizations, type MemberRecord } from './membersStore.ts';

export interface UserLoaders {
  usersOfOrganization: Batch<string, MemberRecord[]>;
}

export function createUserLoaders(adminPool: Pool, budget: AnswerBudget): UserLoaders {
  return {
    usersOfOrganization: batchLists(
      budget,
      (ids, take) => findMembersOfOrganizations(adminPool, ids, take),
      (user) => user.organizationId,
    ),
  };
}
