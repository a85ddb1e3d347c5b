// The SQL of counted attempts: one row for each mutation with a network or an account, shared by all processes.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

export interface CountedAttempt {
  key: Buffer;
  now: Date;
  /** The end of a window that begins now. */
  windowEnd: Date;
  most: number;
  /** How much it counts. Default: 1. */
  weight?: number;
}

/**
 * Counts one attempt, unless there have been as many as allowed in the current window: then nothing changes, and the end
 * of the window comes back. Null when the attempt is counted.
 */
export async function countAttempt(connection: SqlConnection, attempt: CountedAttempt): Promise<Date | null> {
  const { key, now, windowEnd, most, weight = 1 } = attempt;
  const counted = await connection.query(prepared('count_attempt')`/* accounts: countAttempt */
    INSERT INTO attempts AS a (key, count, expires_at) VALUES (${key}, ${weight}, ${windowEnd})
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN a.expires_at <= ${now} THEN excluded.count ELSE a.count + excluded.count END,
      expires_at = CASE WHEN a.expires_at <= ${now} THEN excluded.expires_at ELSE a.expires_at END
    WHERE a.expires_at <= ${now} OR a.count < ${most}`);
  if (counted.rowCount === 1) return null;
  const { rows } = await connection.query<{ expiresAt: Date }>(prepared('find_attempts')`/* accounts: findAttempts */
    SELECT expires_at AS "expiresAt" FROM attempts WHERE key = ${key}`);
  // An attempt that succeeded may have removed the row meanwhile: the next attempt is let in.
  return rows[0]?.expiresAt ?? now;
}

export interface AttemptBounds {
  now: Date;
  address: Buffer;
  perAddress: number;
  /** Null: the network is no part of a site. */
  site: Buffer | null;
  perSite: number;
  account: Buffer;
  perAccount: number;
}

/** The end of the window in which the attempts of the network, of its site or of the account are used up; null while they are not. */
export async function findFullWindow(connection: SqlConnection, bounds: AttemptBounds): Promise<Date | null> {
  const { now, address, perAddress, site, perSite, account, perAccount } = bounds;
  const statement = prepared('find_full_window')`/* accounts: findFullWindow */
    SELECT max(expires_at) AS "expiresAt" FROM attempts
    WHERE (key = ${address} AND count >= ${perAddress} OR key = ${site} AND count >= ${perSite}
        OR key = ${account} AND count >= ${perAccount})
      AND expires_at > ${now}`;
  const { rows } = await connection.query<{ expiresAt: Date | null }>(statement);
  return rows[0]?.expiresAt ?? null;
}

/** Takes back an attempt of the current window. */
export async function uncountAttempt(
  connection: SqlConnection,
  { key, now }: { key: Buffer; now: Date },
): Promise<void> {
  await connection.query(prepared('uncount_attempt')`/* accounts: uncountAttempt */
    UPDATE attempts SET count = count - 1 WHERE key = ${key} AND count > 0 AND expires_at > ${now}`);
}

export async function deleteAttempts(connection: SqlConnection, keys: Buffer[]): Promise<void> {
  await connection.query(prepared('delete_attempts')`/* accounts: deleteAttempts */
    DELETE FROM attempts WHERE key = ANY(${keys}::bytea[])`);
}

/** Notes a network from which an account has logged in, as a row that counts nothing. */
export async function noteNetwork(
  connection: SqlConnection,
  { key, expiresAt }: { key: Buffer; expiresAt: Date },
): Promise<void> {
  await connection.query(prepared('note_network')`/* accounts: noteNetwork */
    INSERT INTO attempts (key, count, expires_at) VALUES (${key}, 0, ${expiresAt})
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at`);
}

export async function isNotedNetwork(
  connection: SqlConnection,
  { key, now }: { key: Buffer; now: Date },
): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_noted_network')`/* accounts: isNotedNetwork */
    SELECT FROM attempts WHERE key = ${key} AND expires_at > ${now}`);
  return rowCount === 1;
}

/** Without this, an attacker who tries random addresses leaves a row for each of them. */
export function deleteExpiredAttempts(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredAttempts */
      DELETE FROM attempts WHERE key IN (
        SELECT key FROM attempts WHERE expires_at < now()
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
