// The SQL of the rate limit for calls to the store: one row per application, shared by all processes.
import type { SqlConnection } from '../platform/database/sqlClient.ts';

/** Granted: the caller waits, then calls. Otherwise it asks again at `dueAt`, with `queued`. */
export interface CallSlot {
  granted: boolean;
  waitMillis: number;
  dueAt: Date;
}

export interface CallSlotRequest {
  applicationId: string;
  perSecond: number;
  /** The longest wait that the caller accepts. */
  patienceMillis: number;
  queued: boolean;
  /** A call of low priority: granted only while no other call waits for longer than `patienceMillis`. */
  behind: boolean;
}

export async function takeCallSlot(
  client: SqlConnection,
  { applicationId, perSecond, patienceMillis, queued, behind }: CallSlotRequest,
): Promise<CallSlot> {
  const { rows } = await client.query<{ granted: boolean; due_at: Date; wait_millis: number }>({
    name: 'take_store_call',
    text: `/* purchases: takeCallSlot */
      SELECT granted, due_at, wait_millis
      FROM take_store_call($1, make_interval(secs => $2::float8), make_interval(secs => $3::float8), $4, $5)`,
    values: [applicationId, 1 / perSecond, patienceMillis / 1_000, queued, behind],
  });
  const { granted, due_at: dueAt, wait_millis: waitMillis } = rows[0]!;
  return { granted, dueAt, waitMillis };
}

/** The store asked for a pause: no process calls it for this application before that time. */
export async function pauseCalls(client: SqlConnection, applicationId: string, until: Date): Promise<void> {
  await client.query({
    name: 'pause_store_calls',
    text: `/* purchases: pauseCalls */
      UPDATE store_call_slots SET next_at = greatest(next_at, $2) WHERE application_id = $1`,
    values: [applicationId, until],
  });
}

/**
 * True when there was a pause. Without a pause the next call is always less than ten seconds away. The places in both
 * queues were after the pause, so they are dropped with it, and each waiting call must ask again.
 */
export async function endPause(client: SqlConnection, applicationId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'end_pause_of_store_calls',
    text: `/* purchases: endPause */
      UPDATE store_call_slots
      SET next_at = clock_timestamp(), queue_end_at = clock_timestamp(), behind_end_at = clock_timestamp()
      WHERE application_id = $1 AND next_at > clock_timestamp() + interval '10 seconds'`,
    values: [applicationId],
  });
  return rowCount === 1;
}
