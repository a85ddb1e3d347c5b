// The SQL of the limit on calls to the store: one row per application, shared by all processes.
import type { ClientBase } from 'pg';

type Client = Pick<ClientBase, 'query'>;

/** Granted: call after the wait. Otherwise come back at `dueAt`, as `queued`. */
export interface CallSlot {
  granted: boolean;
  waitMillis: number;
  dueAt: Date;
}

export interface CallSlotRequest {
  applicationId: string;
  perSecond: number;
  /** How long the caller would wait. */
  patienceMillis: number;
  queued: boolean;
}

export async function takeCallSlot(
  client: Client,
  { applicationId, perSecond, patienceMillis, queued }: CallSlotRequest,
): Promise<CallSlot> {
  const { rows } = await client.query<{ granted: boolean; due_at: Date; wait_millis: number }>({
    name: 'take_store_call',
    text: `/* purchases: takeCallSlot */
      SELECT granted, due_at, wait_millis
      FROM take_store_call($1, make_interval(secs => $2::float8), make_interval(secs => $3::float8), $4)`,
    values: [applicationId, 1 / perSecond, patienceMillis / 1_000, queued],
  });
  const { granted, due_at: dueAt, wait_millis: waitMillis } = rows[0]!;
  return { granted, dueAt, waitMillis };
}

/** The store asked for a pause: nobody calls it for this application before that time. */
export async function pauseCalls(client: Client, applicationId: string, until: Date): Promise<void> {
  await client.query({
    name: 'pause_store_calls',
    text: `/* purchases: pauseCalls */
      UPDATE store_call_slots SET next_at = greatest(next_at, $2) WHERE application_id = $1`,
    values: [applicationId, until],
  });
}
