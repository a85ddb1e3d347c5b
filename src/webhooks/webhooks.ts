// query webhooks: the webhooks of an application, oldest first.
import type { Pool } from 'pg';
import type { QueryWebhooksArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import type { Caller } from '../workspace/caller.ts';
import { assertOwnApplication } from '../workspace/ownApplication.ts';
import { findWebhooks, type WebhookRecord } from './webhooksStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: AnswerBudget;
}

/** Throws `not_found`. */
export async function webhooks(
  { applicationId: id }: QueryWebhooksArgs,
  { caller, adminPool, prisma, budget }: Needs,
): Promise<WebhookRecord[]> {
  await assertOwnApplication({ caller, prisma }, id);
  return withinBudget(budget, () => findWebhooks(adminPool, id));
}
