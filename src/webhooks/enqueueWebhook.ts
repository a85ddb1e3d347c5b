// The outbox: writes an event for every webhook that wants it, in the transaction of the change, with the jobs that deliver it.
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';
import { eventTypes, type WebhookEventName } from './webhooks.ts';

interface MessageHead {
  type: WebhookEventName;
  /**
   * The object that the event is about, for example `campaign:<id>`, at most 300 characters. Events with the same key are
   * delivered in the order in which they were written. Their writers must hold a lock in common, such as the object's row.
   */
  orderKey: string;
  /** When it happened. Not in the future, or it would wait until then. */
  at: Date;
}

export interface WebhookMessage extends MessageHead {
  applicationId: string;
  /** The receiver gets it as JSON. */
  data: object;
}

/** Events whose data is read only where a webhook wants them. */
interface WebhookMessages<Head extends MessageHead> {
  applicationId: string;
  /** In their order. */
  messages: Head[];
  /** In the order of the messages that it gets. */
  dataOf(wanted: Head[]): Promise<object[]>;
}

/**
 * Call it before `audit`, which comes last. Without a webhook that wants the event it writes nothing. Returns how many
 * deliveries it has written.
 */
export async function enqueueWebhook(
  transaction: Transaction,
  { applicationId, data, ...message }: WebhookMessage,
): Promise<number> {
  return enqueueWebhooks(transaction, { applicationId, messages: [message], dataOf: async () => [data] });
}

/** The same for several events, with as many statements as for one. */
export async function enqueueWebhooks<Head extends MessageHead>(
  transaction: Transaction,
  { applicationId, messages, dataOf }: WebhookMessages<Head>,
): Promise<number> {
  if (messages.length === 0) return 0;
  const types = [...new Set(messages.map(({ type }) => type))];
  // Until this transaction ends, no other disables or deletes one of them.
  const { rows: listeners } = await transaction.query<Listener>(prepared('hold_listeners')`/* webhooks: holdListeners */
    SELECT id, events FROM webhooks
    WHERE application_id = ${applicationId} AND enabled AND (events IS NULL OR events && ${types}::text[])
    ORDER BY id FOR SHARE`);
  const lists = messages.map((message) => ({ message, webhookIds: takersOf(message, listeners) }));
  const asked = [...countsOf(lists)].map(([webhookId, count]) => ({ webhookId, count, at: messages.at(-1)!.at }));
  if (asked.length === 0) return 0;
  const wanted = shareOut(lists, await takeRoom(transaction, asked));
  const data = wanted.length > 0 ? await dataOf(wanted.map(({ message }) => message)) : [];
  const deliveries = wanted.flatMap(({ message: { type, orderKey, at }, webhookIds }, index) => {
    const body = JSON.stringify({ type: eventTypes[type], timestamp: at.toISOString(), data: data[index] });
    return webhookIds.map((webhookId) => ({ id: newId(), webhookId, type, orderKey, body, at }));
  });
  if (deliveries.length > 0) {
    await transaction.query(prepared('insert_deliveries')`/* webhooks: insertDeliveries */
      INSERT INTO webhook_deliveries (id, webhook_id, order_key, type, body, created_at, next_attempt_at)
      SELECT id, "webhookId", "orderKey", type, body, at, at
      FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
        AS (id uuid, "webhookId" uuid, "orderKey" text, type text, body text, at timestamptz))
        WITH ORDINALITY AS t (id, "webhookId", "orderKey", type, body, at, number)
      ORDER BY number`);
  }
  // The job of a webhook that lost events adds them to the metric.
  const webhookIds = asked.map(({ webhookId }) => webhookId).sort();
  await addDeliveryJobs(transaction, webhookIds);
  return deliveries.length;
}

interface Listener {
  id: string;
  /** Null: all. */
  events: WebhookEventName[] | null;
}

interface Listed<Head> {
  message: Head;
  webhookIds: string[];
}

function takersOf({ type }: MessageHead, listeners: Listener[]): string[] {
  return listeners.filter(({ events }) => events === null || events.includes(type)).map(({ id }) => id);
}

function countsOf(lists: Listed<unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of lists.flatMap(({ webhookIds }) => webhookIds)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** The messages that some webhook gets. One without the room for all loses the latest. */
function shareOut<Head>(lists: Listed<Head>[], room: Map<string, number>): Listed<Head>[] {
  const left = new Map(room);
  const takes = (id: string): boolean => {
    const own = left.get(id)!;
    left.set(id, own - 1);
    return own > 0;
  };
  return lists
    .map(({ message, webhookIds }) => ({ message, webhookIds: webhookIds.filter(takes) }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}

/**
 * One job for each webhook, which delivers everything that is due: a later job replaces an earlier one that is not running.
 * Organizations take turns.
 */
export async function addDeliveryJobs(
  connection: SqlConnection,
  webhookIds: readonly string[],
  runAt?: Date,
): Promise<void> {
  if (webhookIds.length === 0) return;
  const statement = prepared('find_owners_of_webhooks')`/* webhooks: addDeliveryJobs */
    SELECT w.id, w.application_id AS owner, p.organization_id AS "group"
    FROM webhooks w JOIN applications a ON a.id = w.application_id JOIN projects p ON p.id = a.project_id
    WHERE w.id = ANY(${webhookIds}::uuid[]) ORDER BY w.id`;
  const { rows } = await connection.query<{ id: string; owner: string; group: string }>(statement);
  const jobs = rows.map(({ id: webhookId, ...of }) => ({
    payload: { webhookId },
    key: `deliverWebhooks:${webhookId}`,
    ...of,
    ...(runAt && { runAt }),
  }));
  await addJobs(connection, { task: 'deliverWebhooks' }, jobs);
}

/** Deliveries of one webhook. It loses further events. */
export const mostWaiting = 20_000;
/** With less room a webhook is full. Otherwise those that wait would be counted at each event of a webhook that is nearly full. */
const leastRoom = 1_000;

interface Asked {
  webhookId: string;
  count: number;
  /** When it loses what there is no room for. */
  at: Date;
}

interface Held {
  webhookId: string;
  /** Without what is asked for: below zero where that is more than the room that was left. */
  room: number;
  mayLook: boolean;
}

/**
 * How many of the deliveries each webhook may get; it loses the others. Those that wait are counted when the room of the last
 * count is used up, and at most every 10 s: counting 20,000 took half a second on a busy machine. The rows stay locked until
 * the transaction ends, as those of the webhooks' jobs do, and in the same order.
 */
export async function takeRoom(transaction: Transaction, asked: Asked[]): Promise<Map<string, number>> {
  const { rows } = await transaction.query<Held>(prepared('hold_backlogs')`/* webhooks: holdBacklogs */
    INSERT INTO webhook_backlogs AS b (webhook_id, room)
    SELECT "webhookId", -count FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      AS t ("webhookId" uuid, count integer) ORDER BY "webhookId"
    ON CONFLICT (webhook_id) DO UPDATE SET room = b.room + excluded.room
    RETURNING webhook_id AS "webhookId", room,
      (looked_at IS NULL OR looked_at < now() - interval '10 seconds') AS "mayLook"`);
  const held = new Map(rows.map((row) => [row.webhookId, row]));
  const short = asked.filter(({ webhookId }) => held.get(webhookId)!.room < 0);
  const granted = new Map(asked.map(({ webhookId, count }) => [webhookId, count]));
  if (short.length === 0) return granted;
  const looked = rows.filter(({ room, mayLook }) => room < 0 && mayLook).map(({ webhookId }) => webhookId);
  const counted = await countWaiting(transaction, looked);
  const decided = short.map(({ webhookId, count, at }) => {
    const waiting = counted.get(webhookId);
    const left = waiting === undefined ? held.get(webhookId)!.room + count : roomBeside(waiting);
    const given = Math.min(left, count);
    granted.set(webhookId, given);
    return { webhookId, at, room: left - given, dropped: count - given, looked: waiting !== undefined };
  });
  await transaction.query(prepared('save_backlogs')`/* webhooks: saveBacklogs */
    UPDATE webhook_backlogs b SET room = t.room, looked_at = CASE WHEN t.looked THEN now() ELSE b.looked_at END,
      dropped = b.dropped + t.dropped,
      last_dropped_at = CASE WHEN t.dropped > 0 THEN greatest(b.last_dropped_at, t.at) ELSE b.last_dropped_at END
    FROM jsonb_to_recordset(${JSON.stringify(decided)}::jsonb)
      AS t ("webhookId" uuid, at timestamptz, room integer, dropped bigint, looked boolean)
    WHERE b.webhook_id = t."webhookId"`);
  return granted;
}

function roomBeside(waiting: number): number {
  const room = mostWaiting - waiting;
  return room < leastRoom ? 0 : room;
}

async function countWaiting(transaction: Transaction, webhookIds: string[]): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const statement = prepared('count_waiting_deliveries')`/* webhooks: countWaiting */
    SELECT id, (SELECT count(*)::integer FROM (
      SELECT FROM webhook_deliveries WHERE webhook_id = w.id AND state = 'PENDING' LIMIT ${mostWaiting}) AS d) AS count
    FROM unnest(${webhookIds}::uuid[]) AS w (id)`;
  const { rows } = await transaction.query<{ id: string; count: number }>(statement);
  return new Map(rows.map(({ id, count }) => [id, count]));
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
