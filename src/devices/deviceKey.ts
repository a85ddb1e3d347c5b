// The 16-byte key of a device, which every process computes without a look-up (docs/decisions/session-numbers.md).
import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { classifyDatabaseError, isLockTimeout } from '../platform/database/databaseErrors.ts';
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import { HeldConnection, type TransactionLimits } from '../platform/database/transaction.ts';
import { unavailable } from '../platform/errors.ts';
import { uuidOfHex } from '../platform/inputRules.ts';
import type { Log } from '../platform/observability/log.ts';

/**
 * SHA-256 of the application's id and the device's id, cut to a UUID of version 8 (RFC 9562, 5.8). 122 bits remain: at a
 * trillion devices, two of them collide with a probability of 10⁻¹³. The application's id comes first, so that no tenant
 * can aim at another tenant's devices.
 */
export function deviceKey(applicationId: string, deviceId: string): string {
  const hex = hash('sha256', `${applicationId}\n${deviceId}`, 'hex');
  const variant = variants[parseInt(hex[16]!, 16) & 3]!;
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`);
}

/** The variant leaves two bits of this digit to the hash. */
const variants = ['8', '9', 'a', 'b'];

/** Requests that wait for a row get 503 within a second, the division of their batch included (reportSessions.ts). */
const nodeLockMillis = 300;

/** A node that is away is asked so often, while requests of its devices come. */
const askAgainMillis = 1_000;
/** A node that takes longer for a row by its key counts as away. */
const respondWithinMillis = 1_000;
/** So long after the last question a node counts as there again, until a request fails there. */
const forgetAfterMillis = 5_000;

interface AwayNode {
  /** A device of the node, by which it is asked. */
  deviceKey: string;
  askedAt: number;
  asking: boolean;
}

/** Which nodes of a Citus cluster are away, and which devices they hold: requests of other devices do not wait for them. */
export class DeviceNodes {
  readonly #pool: Pool;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  /** Null until the database has told. A database becomes part of a cluster while the service runs, and stays in it. */
  #clustered: boolean | null = null;
  #learning = false;
  /** By host and port. */
  readonly #away = new Map<string, AwayNode>();

  constructor(pool: Pool, log: Pick<Log, 'info' | 'warn'>) {
    this.#pool = pool;
    this.#log = log;
    // Before any request: the question is no part of its work.
    this.#learn();
  }

  /** For a transaction of requests from devices. None on plain PostgreSQL, and before the first response to the question. */
  get limits(): TransactionLimits {
    if (this.#clustered === null) this.#learn();
    return this.#clustered ? { nodeLockMillis } : none;
  }

  get someAway(): boolean {
    return this.#away.size > 0;
  }

  /** Those of the devices whose node is known to be away. Without such a node it sends no statement. */
  async onAwayNodes(deviceKeys: readonly string[]): Promise<ReadonlySet<string>> {
    for (const [node, { askedAt, asking }] of this.#away)
      if (!asking && performance.now() - askedAt > forgetAfterMillis) this.#away.delete(node);
    if (!this.someAway) return nobody;
    const nodes = await findNodes(this.#pool, deviceKeys);
    for (const node of new Set(nodes.values())) this.#askWhenDue(node);
    return new Set(deviceKeys.filter((key) => this.#away.has(nodes.get(key) ?? '')));
  }

  /**
   * For work that failed: asks each node of the devices, and returns those whose node is away. Null where no node can be the
   * reason. Rejects while the coordinator is away.
   */
  async lookAfter(error: unknown, deviceKeys: readonly string[]): Promise<ReadonlySet<string> | null> {
    if (classifyDatabaseError(error) !== 'unavailable' || isLockTimeout(error)) return null;
    if (!this.#clustered) {
      this.#learn();
      return null;
    }
    const nodes = await findNodes(this.#pool, deviceKeys);
    const keys = new Map([...nodes].map(([key, node]) => [node, key]));
    await Promise.all([...keys].map(([node, deviceKey]) => this.#ask(node, deviceKey)));
    return new Set(deviceKeys.filter((key) => this.#away.has(nodes.get(key) ?? '')));
  }

  /** Runs the work of a request of one device. Throws `unavailable` without it while the device's node is known to be away. */
  async during<Result>(deviceKey: string, work: (limits: TransactionLimits) => Promise<Result>): Promise<Result> {
    if (this.someAway && (await this.onAwayNodes([deviceKey])).size > 0) throw unavailable();
    try {
      return await work(this.limits);
    } catch (error) {
      // The response does not wait for the look, and its failure says no more than the first one.
      void this.lookAfter(error, [deviceKey]).catch(() => null);
      throw error;
    }
  }

  #learn(): void {
    if (this.#learning) return;
    this.#learning = true;
    void isClustered(this.#pool)
      // The database is away: the next failure asks again.
      .catch(() => null)
      .then((clustered) => {
        this.#clustered = clustered;
        this.#learning = false;
      });
  }

  #askWhenDue(node: string): void {
    const away = this.#away.get(node);
    if (!away || away.asking || performance.now() - away.askedAt < askAgainMillis) return;
    // Without a connection nothing is known: it stays as it was.
    void this.#ask(node, away.deviceKey).catch(() => null);
  }

  /** Rejects where the pool has no connection. */
  async #ask(node: string, deviceKey: string): Promise<void> {
    const known = this.#away.get(node);
    if (known?.asking) return;
    if (known) known.asking = true;
    try {
      const responds = await nodeResponds(this.#pool, deviceKey);
      if (responds && this.#away.delete(node)) this.#log.info({ node }, 'a node of the cluster is back');
      if (!responds && !known) this.#log.warn({ node }, 'a node of the cluster is away: its devices get 503');
      if (!responds) this.#away.set(node, { deviceKey, askedAt: performance.now(), asking: false });
    } finally {
      if (known) known.asking = false;
    }
  }
}

const none: TransactionLimits = {};
const nobody: ReadonlySet<string> = new Set();

async function isClustered(connection: SqlConnection): Promise<boolean> {
  const { rows } = await connection.query<{ clustered: boolean }>(
    "/* devices: isClustered */ SELECT to_regclass('pg_dist_partition') IS NOT NULL AS clustered",
  );
  return rows[0]!.clustered;
}

/** The node of each device, by its key, as host and port. */
async function findNodes(connection: SqlConnection, deviceKeys: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ key: string; node: string }>(prepared('find_nodes')`/* devices: findNodes */
    SELECT k.key, n.nodename || ':' || n.nodeport AS node
    FROM (SELECT DISTINCT unnest(${deviceKeys}::uuid[]) AS key) AS k
    JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('devices', k.key)
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'`);
  return new Map(rows.map(({ key, node }) => [key, node]));
}

/** A kept connection may be from before an outage: the second attempt takes a new one. */
async function nodeResponds(pool: Pool, deviceKey: string): Promise<boolean> {
  const { text, values } = sql`/* devices: askNode */ SELECT FROM devices WHERE key = ${deviceKey}`;
  // pg's types lack the timeout of a single query.
  const question = { text, values, query_timeout: respondWithinMillis };
  const connection = await HeldConnection.of(pool);
  return connection
    .use((client) =>
      client.query(question).catch((error: unknown) => retryUnlessSilent(error, () => client.query(question))),
    )
    .then(
      () => true,
      () => false,
    );
}

function retryUnlessSilent<Result>(error: unknown, again: () => Promise<Result>): Promise<Result> {
  if (error instanceof Error && error.message === 'Query read timeout') throw error;
  return again();
}
