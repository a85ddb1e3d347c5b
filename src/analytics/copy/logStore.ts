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

/**
 * On Citus a commit shows its row of the log, which is on the coordinator, before its rows on the workers. Until then a
 * worker holds a prepared transaction, whose name the same commit has put into `pg_dist_transaction`; there `xmin` is the
 * id of the transaction. Returns the first id of those not below `from`, or null. What was read from the log before this
 * call, and is below the returned id, is on all workers, however old it is.
 */
export async function findLateCommit(client: ClientBase, from: bigint): Promise<bigint | null> {
  // A worker that does not respond is asked again soon: by default Citus waits for 30 s.
  await client.query("BEGIN READ ONLY; SET LOCAL citus.node_connection_timeout = '2s'");
  const { rows } = await client.query<{ away: string | null; next: string; late: string[] | null }>(
    `/* analytics: findLateCommit */
    WITH asked AS MATERIALIZED (SELECT nodename, nodeport, success, result FROM run_command_on_workers(
      $$SELECT coalesce(string_agg(gid, ' '), '') FROM pg_prepared_xacts WHERE database = current_database()$$))
    SELECT (SELECT string_agg(format('%s:%s: %s', nodename, nodeport, result), ', ') FROM asked WHERE NOT success) AS away,
      pg_snapshot_xmax(pg_current_snapshot())::text AS next,
      (SELECT array_agg(t.xmin::text) FROM pg_dist_transaction t
        WHERE t.gid IN (SELECT unnest(string_to_array(result, ' ')) FROM asked WHERE success)) AS late`,
  );
  await client.query('COMMIT');
  const { away, next, late } = rows[0]!;
  if (away !== null) throw new Error(`a worker cannot be asked for its prepared transactions: ${away}`);
  const ids = (late ?? []).map((xmin) => fullId(BigInt(xmin), BigInt(next))).filter((id) => id >= from);
  return ids.reduce<bigint | null>((first, id) => (first === null || id < first ? id : first), null);
}

/** `xmin` has the lower 32 bits of an id below `next`. */
const fullId = (xmin: bigint, next: bigint): bigint => next - BigInt.asUintN(32, next - xmin);

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
  /** Commits may be late on the workers. A database in use may become one of a cluster. */
  isCluster: boolean;
}

export async function findHorizon(client: ClientBase): Promise<Horizon> {
  const { rows } = await client.query<{
    below: string;
    next: string;
    now: string;
    ahead: string | null;
    tests: string;
    cluster: boolean;
  }>(
    `/* analytics: findHorizon */
    SELECT pg_snapshot_xmin(s)::text AS below, pg_snapshot_xmax(s)::text AS next,
      (extract(epoch FROM statement_timestamp()) * 1000000)::bigint::text AS now,
      (SELECT (extract(epoch FROM min(c.at)) * 1000000)::bigint::text FROM session_changes c
        WHERE c.xid >= pg_snapshot_xmin(s)) AS ahead,
      EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS cluster,
      (SELECT coalesce(sum(hashtextextended(t.application_id || ' ' || t.id, 0)), 0)::text
        FROM analytics.test_devices t) AS tests
    FROM pg_current_snapshot() s`,
  );
  const { below, next, now, ahead, tests, cluster } = rows[0]!;
  return {
    below: BigInt(below),
    next: BigInt(next),
    now: BigInt(now),
    aheadSince: ahead === null ? null : BigInt(ahead),
    testLists: tests,
    isCluster: cluster,
  };
}

/** When the first of the committed transactions began that are not below `from`. */
export async function findBegin(client: ClientBase, from: bigint): Promise<bigint | null> {
  const { rows } = await client.query<{ at: string | null }>(sql`/* analytics: findBegin */
    SELECT (extract(epoch FROM min(at)) * 1000000)::bigint::text AS at FROM session_changes
    WHERE xid >= ${String(from)}::xid8`);
  const at = rows[0]!.at;
  return at === null ? null : BigInt(at);
}

/** What one transaction has stored, changed or removed (src/analytics/engine/relations.md). */
export interface Change {
  xid: bigint;
  /** When the transaction began, in microseconds since 1970. */
  at: bigint;
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
    SELECT xid::text, (extract(epoch FROM at) * 1000000)::bigint::text AS at, refs::text[],
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
