// query serviceTokens: the organization's service tokens that nobody has revoked, newest first.
import type { Pool } from 'pg';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import type { Caller } from '../workspace/caller.ts';
import { findServiceTokens, type ServiceTokenRecord } from './serviceTokensStore.ts';

export async function serviceTokens(
  _args: unknown,
  { caller, adminPool, budget }: { caller: Caller; adminPool: Pool; budget: AnswerBudget },
): Promise<ServiceTokenRecord[]> {
  const { organizationId } = caller;
  return withinBudget(budget, ({ limit }) => findServiceTokens(adminPool, { organizationId, limit }));
}
