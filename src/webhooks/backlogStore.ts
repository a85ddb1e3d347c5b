// How many deliveries of a webhook may wait, and the events that it has lost because it was full.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

export const mostWaiting = 20_000;
/** With less room a webhook is full. Otherwise those that wait would be counted at each event of a webhook that is nearly full. */
const leastRoom = 1_000;

export interface Asked {
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

/** The lost events that no metric has counted yet: each is returned once. */
export async function takeDropped(connection: SqlConnection, webhookId: string): Promise<number> {
  const statement = prepared('take_dropped')`/* webhooks: takeDropped */
    WITH before AS (
      SELECT webhook_id, counted FROM webhook_backlogs
      WHERE webhook_id = ${webhookId} AND counted < dropped FOR UPDATE)
    UPDATE webhook_backlogs b SET counted = b.dropped FROM before WHERE b.webhook_id = before.webhook_id
    RETURNING (b.dropped - before.counted)::float8 AS count`;
  const { rows } = await connection.query<{ count: number }>(statement);
  return rows[0]?.count ?? 0;
}
