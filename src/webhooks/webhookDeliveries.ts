// query webhookDeliveries: what the service has sent to a webhook or is to send, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryWebhookDeliveriesArgs } from '../../generated/graphql.ts';
import { deleteInBatches, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { type Caller, canAccess } from '../workspace/workspace.ts';
import { addDeliveryJobs } from './enqueueWebhook.ts';
import { findApplicationOfWebhook, type WebhookEventName } from './webhooks.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
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
  { caller, adminPool, budget }: Needs,
): Promise<DeliveryPage> {
  const { webhookId, state = null, limit, after } = args;
  const rules = inputRules();
  const wanted = readLimit(rules, limit, { byDefault: newest });
  if (after != null && !/^\d{1,18}$/.test(after)) rules.refuse('after', 'must be an `endCursor` of this list');
  rules.assert();
  const { organizationId } = caller;
  const applicationId = await findApplicationOfWebhook(adminPool, { organizationId, id: webhookId });
  if (!applicationId || !canAccess(caller, applicationId)) throw new AppError('not_found', undefined);
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

// The SQL that reads deliveries for the dashboard, and keeps the table small.

export type DeliveryState = 'PENDING' | 'DELIVERED' | 'PARKED';

export interface DeliveryRecord {
  id: string;
  webhookId: string;
  /** Whole digits, by which pages continue. */
  sequence: string;
  event: WebhookEventName;
  /** As it is sent. */
  body: string;
  state: DeliveryState;
  attempts: number;
  createdAt: Date;
  lastAttemptAt: Date | null;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
}

const columns = sql`d.id, d.webhook_id AS "webhookId", d.sequence::text AS sequence, d.type AS event, d.body,
  d.state::text AS state, d.attempts, d.created_at AS "createdAt", d.last_attempt_at AS "lastAttemptAt",
  CASE WHEN d.state = 'PENDING' THEN d.next_attempt_at END AS "nextAttemptAt",
  CASE WHEN d.state = 'DELIVERED' THEN d.ended_at END AS "deliveredAt", d.last_status AS "lastStatus",
  d.last_error AS "lastError"`;

/** Newest first. */
export async function findDeliveries(
  connection: SqlConnection,
  search: { webhookId: string; state: DeliveryState | null; after: string | null; limit: number },
): Promise<DeliveryRecord[]> {
  const { webhookId, state, after, limit } = search;
  const statement = prepared('find_deliveries')`/* webhooks: findDeliveries */
    SELECT ${columns} FROM webhook_deliveries d
    WHERE d.webhook_id = ${webhookId} AND (${state}::text IS NULL OR d.state::text = ${state})
      AND (${after}::bigint IS NULL OR d.sequence < ${after}::bigint)
    ORDER BY d.sequence DESC LIMIT ${limit}`;
  const { rows } = await connection.query<DeliveryRecord>(statement);
  return rows;
}

export async function findDelivery(connection: SqlConnection, id: string): Promise<DeliveryRecord | null> {
  const statement = prepared('find_delivery')`/* webhooks: findDelivery */
    SELECT ${columns} FROM webhook_deliveries d WHERE d.id = ${id}`;
  const { rows } = await connection.query<DeliveryRecord>(statement);
  return rows[0] ?? null;
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
