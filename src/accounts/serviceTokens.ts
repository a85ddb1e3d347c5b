// query serviceTokens: the organization's service tokens that nobody has revoked, expired ones included, newest first.
import type { ServiceToken } from '../../generated/prisma/client.ts';
import { withinBudget } from '../platform/responseBudget.ts';
import type { ReadNeeds, Role } from '../workspace/workspace.ts';

export type ServiceRole = Exclude<Role, 'owner'>;

/** The bearer of a program. */
export interface ServiceTokenRecord extends Omit<
  ServiceToken,
  'role' | 'applicationIds' | 'organizationId' | 'hash' | 'revokedAt'
> {
  role: ServiceRole;
  /** Null: all applications of the organization. */
  applicationIds: string[] | null;
}

export async function serviceTokens(
  _args: unknown,
  { caller, prisma, budget }: ReadNeeds,
): Promise<ServiceTokenRecord[]> {
  const { organizationId } = caller;
  const rows = await withinBudget(budget, ({ limit: take }) =>
    prisma.serviceToken.findMany({
      where: { organizationId, revokedAt: null },
      omit: { organizationId: true, hash: true, revokedAt: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take,
    }),
  );
  return rows.map(({ role, applicationIds, ...row }) => {
    // Prisma shows NULL as an empty list, which no token has (serviceTokenCreate.ts).
    const all = applicationIds.length === 0;
    return { ...row, role: role as ServiceRole, applicationIds: all ? null : applicationIds };
  });
}
