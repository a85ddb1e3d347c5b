// Reads what the result of a login shows: the user as a member of the organization, and the organization.
import type { Pool } from 'pg';
import type { WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';
import { findMember } from './membersStore.ts';
import { loggedIn, type LoggedIn, type TokenPair } from './startLogin.ts';

export interface FinishNeeds {
  adminPool: Pool;
  loaders: WorkspaceLoaders;
}

export async function finishLogin(
  tokens: TokenPair,
  { userId, organizationId }: { userId: string; organizationId: string },
  { adminPool, loaders }: FinishNeeds,
): Promise<LoggedIn> {
  const member = await findMember(adminPool, { userId, organizationId });
  if (!member) throw new Error('the membership ended while its user logged in');
  return loggedIn(tokens, member, await loaders.organization.load(organizationId));
}
