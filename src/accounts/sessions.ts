// query sessions: the caller's live login sessions, so that a user recognizes a login that is not their own.
import type { LoginSession } from '../../generated/graphql.ts';
import { withinBudget } from '../platform/responseBudget.ts';
import type { ReadNeeds } from '../workspace/workspace.ts';
import { idleMillis } from './startLogin.ts';

/** The latest login first. */
export async function sessions(
  _args: unknown,
  { caller: { userId, sessionId }, prisma, budget, now }: ReadNeeds,
): Promise<LoginSession[]> {
  const at = now();
  // Longer unused, a session has neither a live access token nor a live refresh token.
  const usedSince = new Date(at.getTime() - idleMillis);
  const rows = await withinBudget(budget, ({ limit: take }) =>
    prisma.loginSession.findMany({
      where: { userId, revokedAt: null, expiresAt: { gt: at }, lastUsedAt: { gt: usedSince } },
      select: { id: true, createdAt: true, lastUsedAt: true, userAgent: true, address: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take,
    }),
  );
  return rows.map((row) => ({ ...row, current: row.id === sessionId }));
}
