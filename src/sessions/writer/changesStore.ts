// The SQL of the log of changes, by which copies for reading follow (src/analytics/engine/relations.md).
import { plainArray } from '../../platform/database/arrayLiteral.ts';
import { prepared, sql } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** Rows that one statement deletes: one of a busy transaction takes a few kilobytes. */
const batchSize = 2_000;

export interface StoredKey {
  device_key: string;
  ref: string;
}

export interface BatchChange {
  /** The n-th session is of the n-th device. Further devices are those that were removed. */
  refs: readonly (string | number)[];
  deviceKeys: readonly string[];
}

/** One row for a batch: two numbers for each of its sessions, in place of a row for each upload. */
export async function logChange(transaction: Transaction, { refs, deviceKeys }: BatchChange): Promise<void> {
  await transaction.query(prepared('log_change')`/* sessions: logChange */
    INSERT INTO session_changes (refs, device_keys)
    VALUES (${plainArray(refs)}::bigint[], ${plainArray(deviceKeys)}::uuid[])`);
}

/** In the transaction that has removed them: so no copy keeps what PostgreSQL has not. */
export async function logRemoval(
  transaction: Transaction,
  sessions: readonly StoredKey[],
  devices: readonly string[] = [],
): Promise<void> {
  if (sessions.length + devices.length === 0) return;
  const refs = sessions.map(({ ref }) => ref);
  const deviceKeys = [...sessions.map(({ device_key }) => device_key), ...devices];
  await logChange(transaction, { refs, deviceKeys });
}

/**
 * A copy that has not followed for seven days is built anew. The oldest rows come first in the index, so that a run ends
 * at the first young row.
 */
export async function deleteOldChanges(connection: SqlConnection): Promise<void> {
  for (let deleted = batchSize; deleted === batchSize;) {
    const { rowCount } = await connection.query(sql`/* sessions: deleteOldChanges */
      WITH oldest AS MATERIALIZED (SELECT ctid AS place, at FROM session_changes ORDER BY xid LIMIT ${batchSize})
      DELETE FROM session_changes USING oldest
      WHERE session_changes.ctid = oldest.place AND oldest.at < now() - interval '7 days'`);
    deleted = rowCount ?? 0;
  }
}
