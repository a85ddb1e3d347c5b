// query webhookDeliveries: what the service has sent to a webhook or is to send, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryWebhookDeliveriesArgs } from '../../generated/graphql.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import { findDeliveries, type DeliveryRecord } from './deliveriesReadStore.ts';
import { findApplicationOfWebhook } from './webhooksStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  budget: AnswerBudget;
}

interface DeliveryPage {
  nodes: ReturnType<typeof shownDelivery>[];
  endCursor: string | null;
  hasMore: boolean;
}

const newest = 50;

/** Throws `validation_failed`, `not_found` (the webhook). */
export async function webhookDeliveries(
  args: Partial<QueryWebhookDeliveriesArgs> & { webhookId: string },
  { caller, adminPool, budget }: Needs,
): Promise<DeliveryPage> {
  const { webhookId, state = null, limit, after } = args;
  const rules = inputRules();
  const wanted = readLimit(rules, limit, { byDefault: newest });
  if (after != null && !/^\d{1,18}$/.test(after)) rules.refuse('after', 'must be an `endCursor` of this list');
  rules.assert();
  const { organizationId } = caller;
  const applicationId = await findApplicationOfWebhook(adminPool, { organizationId, id: webhookId });
  if (!applicationId || !reaches(caller, applicationId)) throw new AppError('not_found', undefined);
  const rows = await withinBudget(
    budget,
    (room) =>
      findDeliveries(adminPool, { webhookId, state, after: after ?? null, limit: Math.min(wanted, room.limit) + 1 }),
    ({ body }) => body.length,
  );
  const nodes = rows.slice(0, wanted);
  return { nodes: nodes.map(shownDelivery), endCursor: nodes.at(-1)?.sequence ?? null, hasMore: rows.length > wanted };
}

export function shownDelivery({ body, sequence: _sequence, ...delivery }: DeliveryRecord) {
  return { ...delivery, body: JSON.parse(body) as unknown };
}
