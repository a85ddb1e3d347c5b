// The SQL of the rate limit for calls to the store: one row per application, shared by all processes.
import { prepared, type SqlConnection } from '../platform/database/sql.ts';

/** When a call is granted, the caller waits and then calls. Otherwise it asks again at `dueAt`, with `queued`. */
interface CallSlot {
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
  connection: SqlConnection,
  { applicationId, perSecond, patienceMillis, queued, behind }: CallSlotRequest,
): Promise<CallSlot> {
  const statement = prepared('take_store_call')`/* purchases: takeCallSlot */
    SELECT granted, due_at, wait_millis
    FROM take_store_call(${applicationId}, make_interval(secs => ${1 / perSecond}::float8),
      make_interval(secs => ${patienceMillis / 1_000}::float8), ${queued}, ${behind})`;
  const { rows } = await connection.query<{ granted: boolean; due_at: Date; wait_millis: number }>(statement);
  const { granted, due_at: dueAt, wait_millis: waitMillis } = rows[0]!;
  return { granted, dueAt, waitMillis };
}

/** The store asked for a pause: until then no process calls it for this application. */
export async function pauseCalls(connection: SqlConnection, applicationId: string, until: Date): Promise<void> {
  await connection.query(prepared('pause_store_calls')`/* purchases: pauseCalls */
    UPDATE store_call_slots SET next_at = greatest(next_at, ${until}) WHERE application_id = ${applicationId}`);
}

/**
 * True when there was a pause: without one, the next call is always less than ten seconds away. The places in both
 * queues were after the pause. They are dropped with it, and each waiting call must ask again.
 */
export async function endPause(connection: SqlConnection, applicationId: string): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('end_pause_of_store_calls')`/* purchases: endPause */
    UPDATE store_call_slots
    SET next_at = clock_timestamp(), queue_end_at = clock_timestamp(), behind_end_at = clock_timestamp()
    WHERE application_id = ${applicationId} AND next_at > clock_timestamp() + interval '10 seconds'`);
  return rowCount === 1;
}
