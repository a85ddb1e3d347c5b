// query organizations: the organizations in which the caller is active. Below them are only the bearer's own objects.
import { withinBudget } from '../platform/responseBudget.ts';
import { type ReadNeeds, type ViewedOrganization, withViewer } from '../workspace/workspace.ts';

/** In the order in which the user came to them. */
export async function organizations(
  _args: unknown,
  { caller, prisma, budget }: ReadNeeds,
): Promise<ViewedOrganization[]> {
  const rows = await withinBudget(budget, ({ limit: take }) =>
    prisma.membership.findMany({
      where: { userId: caller.userId, status: 'active' },
      select: { organization: { omit: { createdAt: true } } },
      orderBy: [{ acceptedAt: 'asc' }, { id: 'asc' }],
      take,
    }),
  );
  return rows.map(({ organization }) => withViewer(caller, organization));
}
