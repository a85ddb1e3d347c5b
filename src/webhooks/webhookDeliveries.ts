// query webhookDeliveries: what the service has sent to a webhook or is to send, newest first, in pages by cursor.
import type { QueryWebhookDeliveriesArgs } from '../../generated/graphql.ts';
import type { WebhookDelivery } from '../../generated/prisma/client.ts';
import { deleteInBatches, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { PrismaModels } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { type Caller, canAccess } from '../workspace/workspace.ts';
import { addDeliveryJobs } from './enqueueWebhook.ts';
import type { WebhookEventName } from './webhooks.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaModels;
  budget: ResponseBudget;
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
  { caller, prisma, budget }: Needs,
): Promise<DeliveryPage> {
  const { webhookId, state, limit, after } = args;
  const rules = inputRules();
  const wanted = readLimit(rules, limit, { byDefault: newest });
  if (after != null && !/^\d{1,18}$/.test(after)) rules.refuse('after', 'must be an `endCursor` of this list');
  rules.assert();
  const { organizationId } = caller;
  const webhook = await prisma.webhook.findFirst({
    where: { id: webhookId, application: { deletedAt: null, project: { organizationId } } },
    select: { applicationId: true },
  });
  if (!webhook || !canAccess(caller, webhook.applicationId)) throw new AppError('not_found', undefined);
  const where = { webhookId, ...(state && { state }), ...(after != null && { sequence: { lt: BigInt(after) } }) };
  const rows = await withinBudget(
    budget,
    (room) =>
      prisma.webhookDelivery.findMany({
        where,
        orderBy: { sequence: 'desc' },
        take: Math.min(wanted, room.limit) + 1,
      }),
    ({ body }) => body.length,
  );
  const nodes = rows.slice(0, wanted);
  const endCursor = nodes.at(-1)?.sequence.toString() ?? null;
  return { nodes: nodes.map(shownDelivery), endCursor, hasMore: rows.length > wanted };
}

export function shownDelivery({ sequence: _sequence, type, body, state, endedAt, ...delivery }: WebhookDelivery) {
  return {
    ...delivery,
    event: type as WebhookEventName,
    body: JSON.parse(body) as unknown,
    state,
    nextAttemptAt: state === 'PENDING' ? delivery.nextAttemptAt : null,
    deliveredAt: state === 'DELIVERED' ? endedAt : null,
  };
}

/** Thirty days after their end. */
export function deleteOldDeliveries(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* webhooks: deleteOldDeliveries */
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries WHERE ended_at < now() - interval '30 days'
        ORDER BY ended_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}

/**
 * Adds a job for each webhook whose job is gone: the queue gave it up after its last attempt. A job that was given up and
 * that no webhook needs any more goes, above all one that a later job has replaced while it ran: that one has lost its key.
 */
export async function queueForgottenDeliveries(connection: SqlConnection): Promise<void> {
  const statement = sql`/* webhooks: queueForgottenDeliveries */
    SELECT w.id FROM webhooks w WHERE w.enabled AND EXISTS (
      SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'PENDING'
        AND d.next_attempt_at < now() - interval '1 minute')
      AND NOT EXISTS (SELECT FROM graphile_worker.jobs j WHERE j.key = 'deliverWebhooks:' || w.id::text
        AND j.attempts < j.max_attempts)
    LIMIT 1000`;
  const { rows } = await connection.query<{ id: string }>(statement);
  await addDeliveryJobs(
    connection,
    rows.map(({ id }) => id),
  );
  await connection.query(sql`/* webhooks: removeDeadDeliveryJobs */
    SELECT FROM graphile_worker.complete_jobs(ARRAY(
      SELECT j.id FROM graphile_worker.jobs j
      WHERE j.task_identifier = 'deliverWebhooks' AND j.attempts >= j.max_attempts AND j.locked_at IS NULL
        AND (j.key IS NULL OR NOT EXISTS (
          SELECT FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
          WHERE 'deliverWebhooks:' || w.id::text = j.key AND w.enabled AND d.state = 'PENDING'))
      LIMIT 10000))`);
}
