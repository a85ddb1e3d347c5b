// query sessions: the caller's live login sessions, so that a user recognizes a login that is not their own.
import type { Pool } from 'pg';
import type { LoginSession } from '../../generated/graphql.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { findOwnSessions } from './authenticate.ts';
import { idleMillis } from './startLogin.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: Pool;
  budget: ResponseBudget;
  now(): Date;
}

export async function sessions(
  _args: unknown,
  { caller: { userId, sessionId }, adminPool, budget, now }: Needs,
): Promise<LoginSession[]> {
  const at = now();
  // Longer unused, a session has neither a live access token nor a live refresh token.
  const usedSince = new Date(at.getTime() - idleMillis);
  const rows = await withinBudget(budget, ({ limit }) =>
    findOwnSessions(adminPool, { userId, now: at, usedSince, limit }),
  );
  return rows.map((row) => ({ ...row, current: row.id === sessionId }));
}
