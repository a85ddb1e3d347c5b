// The SQL for nonces and sessions that are taken as new: by COPY, so that a stored key refuses the batch.
import { BinaryRows } from '../../platform/database/binaryRows.ts';
import { copyFrom } from '../../platform/database/copyFrom.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { NonceRow, SessionRow } from '../upload.ts';

/** The size of usual rows. The buffer grows for longer rows. */
const expectedBytes = { nonce: 96, session: 160 };

/** Rows for `copyNonces`. The caller makes all rows before the pipeline. */
export function nonceRows(nonces: NonceRow[]): Buffer {
  const rows = new BinaryRows(nonces.length * expectedBytes.nonce);
  for (const { nonce, applicationId, bodyHash } of nonces) {
    rows.row(3);
    rows.text(nonce);
    rows.uuid(applicationId);
    rows.bytes(bodyHash);
  }
  return rows.end();
}

/** Rejects with 23505 when one of them is stored. Waits for a transaction that stores one at the same time. */
export function copyNonces(transaction: Transaction, rows: Buffer): Promise<void> {
  const columns = '(nonce, application_id, body_hash)';
  return copyFrom(transaction, `/* sessions: copyNonces */ COPY nonces ${columns} FROM STDIN (FORMAT binary)`, rows);
}

export interface NumberedSession {
  session: SessionRow;
  ref: number;
  /** Unix seconds. */
  receivedAt: number;
}

/** Rows for `copySessions`. */
export function newSessionRows(sessions: NumberedSession[]): Buffer {
  const rows = new BinaryRows(sessions.length * expectedBytes.session);
  for (const { session, ref, receivedAt } of sessions) {
    rows.row(12);
    rows.uuid(session.deviceKey);
    rows.text(session.id);
    rows.uuid(session.applicationId);
    rows.bigint(ref);
    rows.bigint(session.globalNumber);
    rows.bigint(session.versionNumber);
    rows.timestamptz(session.startedAt);
    if (session.finishedAt === null) rows.null();
    else rows.timestamptz(session.finishedAt);
    rows.timestamptz(receivedAt);
    rows.smallint(session.utcOffsetMinutes);
    if (session.userId === null) rows.null();
    else rows.text(session.userId);
    rows.timestamptz(Math.min(session.userAt, receivedAt));
  }
  return rows.end();
}

const sessionColumns = `(device_key, id, application_id, ref, global_number, version_number, started_at, finished_at,
  received_at, utc_offset_minutes, user_id, user_at)`;

/**
 * Rejects when one of them is stored, with 23505 except on a Citus cluster. Waits for a transaction that stores one at
 * the same time.
 */
export function copySessions(transaction: Transaction, rows: Buffer): Promise<void> {
  return copyFrom(
    transaction,
    `/* sessions: copySessions */ COPY sessions ${sessionColumns} FROM STDIN (FORMAT binary)`,
    rows,
  );
}

export interface DrawnNumbers {
  numbers: number[];
  /** Unix seconds, by the database's clock. */
  now: number;
}

/** Numbers for sessions. The sequence gives each number once. */
export async function drawSessionNumbers(transaction: Transaction, count: number): Promise<DrawnNumbers> {
  const statement = sql`/* sessions: drawSessionNumbers */
    SELECT array_agg(nextval('sessions_ref_seq')) AS numbers, extract(epoch FROM clock_timestamp())::float8 AS now
    FROM generate_series(1, ${count})`;
  const { rows } = await transaction.query<{ numbers: string[]; now: number }>(statement);
  const { numbers, now } = rows[0]!;
  return { numbers: numbers.map(Number), now };
}
