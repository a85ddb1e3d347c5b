// The SQL of the log of changes: which PostgreSQL this is, how far its transactions are, and what they have changed.
import type { ClientBase } from 'pg';
import { sql } from '../../platform/database/sql.ts';

/** Where one of them differs, a copy is of another database, or of another history of it. */
export interface Identity {
  system: string;
  database: string;
  timeline: string;
}

/** A standby has no current timeline, and the statement fails: a copy follows the database that takes uploads. */
export async function findIdentity(client: ClientBase): Promise<Identity> {
  const { rows } = await client.query<Identity>(`/* analytics: findIdentity */
    SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,
      (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
      left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`);
  return rows[0]!;
}

/** On Citus the commit of a worker may be visible later than the row of the log, which is on the coordinator. */
export async function isCluster(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("/* analytics: isCluster */ SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return rows.length > 0;
}

/** Whether a worker still holds a part of a commit that should have ended a second ago. Only on a cluster. */
export async function hasLateCommit(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ late: boolean }>(`/* analytics: hasLateCommit */
    SELECT coalesce(bool_or(NOT success OR result <> '0'), false) AS late FROM run_command_on_workers(
      $$SELECT count(*) FROM pg_prepared_xacts
        WHERE database = current_database() AND prepared < now() - interval '1 second'$$)`);
  return rows[0]!.late;
}

/**
 * Where the log begins for a build. On a cluster the rows of transactions that have just ended may be visible on a worker
 * only after the build has read its table: the log of the last minutes is read again.
 */
export async function findStart(client: ClientBase, below: bigint): Promise<bigint> {
  if (!(await isCluster(client))) return below;
  const { rows } = await client.query<{ xid: string }>(`/* analytics: findStart */
    SELECT c.xid::text FROM session_changes c WHERE c.at > now() - interval '5 minutes' ORDER BY c.xid LIMIT 1`);
  const first = BigInt(rows[0]?.xid ?? below);
  return first < below ? first : below;
}

export interface Horizon {
  /** Every transaction below it has ended. */
  below: bigint;
  /** The first transaction id that is not given yet. */
  next: bigint;
  /** The database's clock before the snapshot was taken, in microseconds since 1970: what committed before it is seen. */
  now: bigint;
  /** When the first of the transactions began that have committed and are not below; null without one. */
  aheadSince: bigint | null;
  /** A sum over all entries of all lists of test devices, as the snapshot has them. The log does not tell of their changes. */
  testLists: string;
}

export async function findHorizon(client: ClientBase): Promise<Horizon> {
  const { rows } = await client.query<{
    below: string;
    next: string;
    now: string;
    ahead: string | null;
    tests: string;
  }>(
    `/* analytics: findHorizon */
    SELECT pg_snapshot_xmin(s)::text AS below, pg_snapshot_xmax(s)::text AS next,
      (extract(epoch FROM statement_timestamp()) * 1000000)::bigint::text AS now,
      (SELECT (extract(epoch FROM min(c.at)) * 1000000)::bigint::text FROM session_changes c
        WHERE c.xid >= pg_snapshot_xmin(s)) AS ahead,
      (SELECT coalesce(sum(hashtextextended(t.application_id || ' ' || t.id, 0)), 0)::text
        FROM analytics.test_devices t) AS tests
    FROM pg_current_snapshot() s`,
  );
  const { below, next, now, ahead, tests } = rows[0]!;
  return {
    below: BigInt(below),
    next: BigInt(next),
    now: BigInt(now),
    aheadSince: ahead === null ? null : BigInt(ahead),
    testLists: tests,
  };
}

/** What one transaction has stored, changed or removed (src/analytics/engine/relations.md). */
export interface Change {
  xid: bigint;
  /** When the transaction began, in microseconds since 1970. */
  at: bigint;
  /** How many rows of each it has inserted; null where it has not said so. */
  sessions: number;
  events: number | null;
  refs: string[];
  /** The n-th session is of the n-th device; further ones are devices that were removed. */
  deviceKeys: string[];
  /** A UTC date. */
  droppedBefore: string | null;
  removedApplication: string | null;
  /** The application of the two. */
  purchasesOf: string | null;
  transactions: string[] | null;
  lines: string[] | null;
}

export interface Stretch {
  /** Transaction ids: the first inclusive, the other exclusive. */
  from: bigint;
  below: bigint;
  most: number;
  /** Only those of retention and of deleted applications. */
  removals?: boolean;
}

/**
 * In the order of transaction ids. All rows of a transaction are there, or none. The order names the table's column:
 * `xid` alone is the text of the list, in whose order 1000 comes before 999, and the cursor would leave 999 out.
 */
export async function findChanges(
  client: ClientBase,
  { from, below, most, removals = false }: Stretch,
): Promise<{ changes: Change[]; more: boolean }> {
  const statement = sql`/* analytics: findChanges */
    SELECT xid::text, (extract(epoch FROM at) * 1000000)::bigint::text AS at, sessions, events, refs::text[],
      device_keys AS "deviceKeys", to_char(dropped_before, 'YYYY-MM-DD') AS "droppedBefore",
      removed_application AS "removedApplication", purchases_of AS "purchasesOf", transactions, lines
    FROM session_changes c
    WHERE xid >= ${String(from)}::xid8 AND xid < ${String(below)}::xid8
      AND (NOT ${removals} OR dropped_before IS NOT NULL OR removed_application IS NOT NULL)
    ORDER BY c.xid FETCH FIRST ${most} ROWS WITH TIES`;
  const { rows } = await client.query<Omit<Change, 'xid' | 'at'> & { xid: string; at: string }>(statement);
  const changes = rows.map((row) => ({ ...row, xid: BigInt(row.xid), at: BigInt(row.at) }));
  return { changes, more: rows.length >= most };
}
