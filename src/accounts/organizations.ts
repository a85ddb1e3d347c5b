// query organizations: the organizations in which the caller is active. Below them are only the bearer's own objects.
import type { Pool } from 'pg';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { seenBy, type Caller, type SeenOrganization } from '../workspace/workspace.ts';
import { findOrganizationsOfUser } from './members.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  budget: ResponseBudget;
}

export async function organizations(_args: unknown, { caller, adminPool, budget }: Needs): Promise<SeenOrganization[]> {
  const rows = await withinBudget(budget, ({ limit }) =>
    findOrganizationsOfUser(adminPool, { userId: caller.userId, limit }),
  );
  return rows.map((row) => seenBy(caller, row));
}
