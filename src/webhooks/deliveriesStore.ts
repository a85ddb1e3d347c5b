// The SQL of the outbox: writing events, claiming those that are due, and recording what became of them.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { WebhookEventName } from './webhookEvent.ts';

export interface Listener {
  id: string;
  /** Null: all. */
  events: WebhookEventName[] | null;
}

/** The enabled webhooks that want one of the events. Until this transaction ends, no other disables or deletes one of them. */
export async function holdListeners(
  transaction: Transaction,
  { applicationId, types }: { applicationId: string; types: WebhookEventName[] },
): Promise<Listener[]> {
  const statement = prepared('hold_listeners')`/* webhooks: holdListeners */
    SELECT id, events FROM webhooks
    WHERE application_id = ${applicationId} AND enabled AND (events IS NULL OR events && ${types}::text[])
    ORDER BY id FOR SHARE`;
  const { rows } = await transaction.query<Listener>(statement);
  return rows;
}

export interface NewDelivery {
  id: string;
  webhookId: string;
  type: WebhookEventName;
  orderKey: string;
  body: string;
  at: Date;
}

/** In the order in which they are given. */
export async function insertDeliveries(transaction: Transaction, deliveries: NewDelivery[]): Promise<void> {
  const rows = JSON.stringify(deliveries);
  await transaction.query(prepared('insert_deliveries')`/* webhooks: insertDeliveries */
    INSERT INTO webhook_deliveries (id, webhook_id, order_key, type, body, created_at, next_attempt_at)
    SELECT id, "webhookId", "orderKey", type, body, at, at
    FROM ROWS FROM (jsonb_to_recordset(${rows}::jsonb)
      AS (id uuid, "webhookId" uuid, "orderKey" text, type text, body text, at timestamptz))
      WITH ORDINALITY AS t (id, "webhookId", "orderKey", type, body, at, number)
    ORDER BY number`);
}

export interface ClaimedDelivery {
  id: string;
  body: string;
  /** With this attempt. */
  attempts: number;
  firstAttemptAt: Date;
}

/**
 * Of `d`: no earlier delivery of the same key waits. It is no NOT EXISTS, which the planner turns into a join: without
 * statistics that compared each of 20,000 that wait with all others, and took over 20 s.
 */
const isFirst = sql`d.sequence = (
  SELECT e.sequence FROM webhook_deliveries e
  WHERE e.webhook_id = d.webhook_id AND e.order_key = d.order_key AND e.state = 'PENDING'
  ORDER BY e.sequence LIMIT 1)`;

/**
 * Of each key the delivery that waits longest, where it is due. No other worker takes it before the end of the lease; after
 * that the first worker is taken for dead, and the delivery is sent again.
 */
export async function claimDeliveries(
  connection: SqlConnection,
  { webhookId, now, leasedUntil, limit }: { webhookId: string; now: Date; leasedUntil: Date; limit: number },
): Promise<ClaimedDelivery[]> {
  const statement = prepared('claim_deliveries')`/* webhooks: claimDeliveries */
    WITH due AS MATERIALIZED (
      SELECT d.id FROM webhook_deliveries d
      WHERE d.webhook_id = ${webhookId} AND d.state = 'PENDING' AND d.next_attempt_at <= ${now} AND ${isFirst}
      ORDER BY d.sequence LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE webhook_deliveries d SET next_attempt_at = ${leasedUntil}, attempts = d.attempts + 1,
      first_attempt_at = coalesce(d.first_attempt_at, ${now}), last_attempt_at = ${now}
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.body, d.attempts, d.first_attempt_at AS "firstAttemptAt"`;
  const { rows } = await connection.query<ClaimedDelivery>(statement);
  return rows;
}

/** When the first of the deliveries that no other one holds is due. Null when none waits. */
export async function findNextAttempt(connection: SqlConnection, webhookId: string): Promise<Date | null> {
  const statement = prepared('find_next_attempt')`/* webhooks: findNextAttempt */
    SELECT min(next_attempt_at) AS at FROM (
      SELECT DISTINCT ON (order_key) next_attempt_at FROM webhook_deliveries
      WHERE webhook_id = ${webhookId} AND state = 'PENDING' ORDER BY order_key, sequence) AS firsts`;
  const { rows } = await connection.query<{ at: Date | null }>(statement);
  return rows[0]?.at ?? null;
}

export interface AttemptOutcome {
  state: 'PENDING' | 'DELIVERED' | 'PARKED';
  status: number | null;
  error: string | null;
  /** Of a PENDING delivery. */
  nextAttemptAt: Date | null;
}

/** Changes nothing when another worker has taken the delivery meanwhile, or somebody has asked for it again. */
export async function recordAttempt(
  connection: SqlConnection,
  { id, attempts, firstAttemptAt }: ClaimedDelivery,
  { state, status, error, nextAttemptAt, now }: AttemptOutcome & { now: Date },
): Promise<void> {
  const endedAt = state === 'PENDING' ? null : now;
  await connection.query(prepared('record_attempt')`/* webhooks: recordAttempt */
    UPDATE webhook_deliveries SET state = ${state}::webhook_delivery_state, last_status = ${status},
      last_error = ${error}, next_attempt_at = coalesce(${nextAttemptAt}::timestamptz, next_attempt_at),
      ended_at = ${endedAt}
    WHERE id = ${id} AND attempts = ${attempts} AND first_attempt_at = ${firstAttemptAt} AND state = 'PENDING'`);
}

/** Of a webhook that the same transaction disables. */
export async function parkWaiting(
  transaction: Transaction,
  { webhookId, now, error }: { webhookId: string; now: Date; error: string },
): Promise<void> {
  await transaction.query(prepared('park_waiting')`/* webhooks: parkWaiting */
    UPDATE webhook_deliveries SET state = 'PARKED', ended_at = ${now}, last_error = coalesce(last_error, ${error})
    WHERE webhook_id = ${webhookId} AND state = 'PENDING'`);
}

/** Under a key of its own, so that it waits for no other delivery, and none waits for it. Its id stays. */
export async function sendAgain(transaction: Transaction, { id, now }: { id: string; now: Date }): Promise<void> {
  await transaction.query(prepared('send_again')`/* webhooks: sendAgain */
    UPDATE webhook_deliveries SET state = 'PENDING', order_key = ${`redelivery:${id}`}, attempts = 0,
      first_attempt_at = NULL, next_attempt_at = ${now}, ended_at = NULL
    WHERE id = ${id}`);
}
