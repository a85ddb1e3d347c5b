// Applies prisma/migrations to a database and reports which are pending, as `prisma migrate deploy` and `status` do.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientBase } from 'pg';
import type { Log } from '../observability/log.ts';

export interface MigrationOptions {
  url: string;
  /** The folder that holds schema.prisma and migrations/. */
  prismaDir: string;
  log?: Pick<Log, 'info' | 'warn'>;
  lockWait?: LockWait;
}

/**
 * A migration that waits for a lock behind a long reader, for example a pg_dump, makes uploads wait for itself. So it
 * waits for `millis`, gives up its place, and tries again after `pauseMillis`.
 */
export interface LockWait {
  millis: number;
  pauseMillis: number;
}

const defaultLockWait: LockWait = { millis: 2_000, pauseMillis: 5_000 };

/** Prisma's command takes the same advisory lock, so the two exclude each other. */
export const migrationLock = 72707369;
const lockNotAvailable = '55P03';

export async function migrationStatus(options: Pick<MigrationOptions, 'url' | 'prismaDir'>): Promise<MigrationStatus> {
  const migrations = await readMigrations(options.prismaDir);
  return await withClient({ connectionString: options.url, query_timeout: lookMillis }, async (client) => {
    // Not a setting of the session, which a pooler would hand to an upload.
    await client.query('BEGIN READ ONLY');
    await requireUtf8(client);
    const records = await readRecords(client);
    await client.query('COMMIT');
    return compareWithRecords(migrations, records ?? []);
  });
}

/** Changes nothing. Throws when the database and the folder contradict each other. */
export async function pendingMigrations(options: MigrationOptions): Promise<string[]> {
  const status = await migrationStatus(options);
  checkHistory(status, options.log);
  return status.pending;
}

/**
 * Applies the pending migrations and returns their names. Each migration and its record are one transaction: a failure
 * or a crash leaves nothing of it. Of several processes that start together one works and the others wait.
 */
export async function applyMigrations({ url, prismaDir, log, lockWait }: MigrationOptions): Promise<string[]> {
  const migrations = await readMigrations(prismaDir);
  return await withClient({ connectionString: url }, async (client) => {
    await client.query(withoutLimits);
    await requireUtf8(client);
    await lock(client, log);
    const records = await readRecords(client);
    const status = compareWithRecords(migrations, records ?? []);
    checkHistory(status, log);
    if (records === null) await createRecords(client);
    for (const migration of migrations.filter(({ name }) => status.pending.includes(name))) {
      await applyOne(client, migration, { log, lockWait: lockWait ?? defaultLockWait });
      log?.info({ migration: migration.name }, 'migration applied');
    }
    return status.pending;
  });
}

async function withClient<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  // The query that a lost connection interrupts reports the loss. Without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Other encodings lack characters that uploads contain, and PostgreSQL would refuse those uploads. */
async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (rows[0]?.encoding === 'UTF8') return;
  throw new Error(`The database has the encoding ${String(rows[0]?.encoding)}: create it with ENCODING 'UTF8'.`);
}

/** Held until the connection ends. */
async function lock(client: pg.Client, log: MigrationOptions['log']): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    migrationLock,
  ]);
  if (rows[0]?.locked === true) return;
  log?.info({}, 'another process migrates this database: waiting for it');
  await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
}

async function applyOne(
  client: pg.Client,
  migration: Migration,
  { log, lockWait }: { log: MigrationOptions['log']; lockWait: LockWait },
): Promise<void> {
  while (!(await tryOne(client, migration, lockWait))) {
    // PostgreSQL no longer tells who held the lock. The oldest transaction is the most likely holder.
    const { rows } = await client.query(oldestTransaction);
    log?.warn(
      { migration: migration.name, oldest: rows[0] as unknown },
      'a migration waits for a lock, and uploads have a turn',
    );
    await sleep(lockWait.pauseMillis);
  }
}

const oldestTransaction = `
  SELECT pid, application_name AS application, xact_start AS since FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`;

/** False when the migration did not get a lock in time. Nothing of it has happened then. */
async function tryOne(client: pg.Client, migration: Migration, lockWait: LockWait): Promise<boolean> {
  const { name, sql } = migration;
  // CREATE INDEX CONCURRENTLY refuses a transaction. Every other migration runs in one.
  const together = !/\bconcurrently\b/i.test(sql.replaceAll(/--.*$/gm, ''));
  let id: string | null = null;
  try {
    if (together) await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockWait.millis}`);
    id = await recordStart(client, migration);
    // One message for the whole file, so PostgreSQL runs several statements as one transaction here too.
    await client.query(sql);
    await recordEnd(client, id);
    if (together) await client.query('COMMIT');
    return true;
  } catch (error) {
    if (together && error instanceof pg.DatabaseError && error.code === lockNotAvailable) {
      await client.query('ROLLBACK');
      return false;
    }
    const reason = error instanceof pg.DatabaseError ? explain(error, sql) : String(error);
    // Where the connection is lost the row stays without the reason, and still counts as failed.
    if (!together && id !== null) await recordFailure(client, id, reason).catch(() => undefined);
    const kept = together ? 'nothing of it was kept' : 'it ran outside a transaction, so look at what it left';
    throw new Error(`Migration ${name} failed, ${kept}: ${reason}`, { cause: error });
  }
}

function explain({ message, code, detail, position }: pg.DatabaseError, sql: string): string {
  const line = position === undefined ? '' : `, line ${sql.slice(0, Number(position)).split('\n').length}`;
  return `${message} (SQLSTATE ${code ?? 'unknown'}${line})${detail === undefined ? '' : `. ${detail}`}`;
}

async function readMigrations(prismaDir: string): Promise<Migration[]> {
  const folder = path.join(prismaDir, 'migrations');
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const reading = names.sort().map(async (name) => ({
    name,
    sql: await readFile(path.join(folder, name, 'migration.sql'), 'utf8'),
  }));
  return await Promise.all(reading);
}

// Compares the rows of `_prisma_migrations` with the folder of migrations: pending, edited, missing or failed.

/** One folder of prisma/migrations. */
export interface Migration {
  name: string;
  sql: string;
}

/** Names of migrations, in the order in which they are applied. */
export interface MigrationStatus {
  pending: string[];
  /** Applied, but the file has changed since. */
  edited: string[];
  /** Applied, but not in the folder. */
  missing: string[];
  /** Started outside a transaction and not finished. */
  failed: string[];
}

/** A row of `_prisma_migrations`. */
export interface MigrationRecord {
  name: string;
  checksum: string;
  finished: boolean;
}

export function compareWithRecords(migrations: Migration[], records: MigrationRecord[]): MigrationStatus {
  const recordOf = ({ name }: Migration): MigrationRecord | undefined => records.find((record) => record.name === name);
  const names = new Set(migrations.map(({ name }) => name));
  const edited = migrations.filter((migration) => {
    const record = recordOf(migration);
    return record !== undefined && !hasChecksum(migration.sql, record.checksum);
  });
  return {
    pending: migrations.filter((migration) => recordOf(migration) === undefined).map(({ name }) => name),
    edited: edited.map(({ name }) => name),
    missing: records.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    failed: records.filter(({ finished }) => !finished).map(({ name }) => name),
  };
}

/** Throws where the database and the folder contradict each other. */
export function checkHistory({ pending, edited, missing, failed }: MigrationStatus, log?: Pick<Log, 'warn'>): void {
  const problems: string[] = [];
  if (failed.length > 0) {
    problems.push(`${failed.join(', ')} began and did not finish: put the schema right, then delete its row there`);
  }
  if (edited.length > 0) {
    problems.push(`${edited.join(', ')} was edited after it was applied: restore the file and write a new migration`);
  }
  if (missing.length > 0 && pending.length > 0) {
    problems.push(`${missing.join(', ')} was applied and is not in the folder, while ${pending.join(', ')} is new`);
  }
  if (problems.length > 0) {
    throw new Error(`The migrations and the database's table _prisma_migrations disagree:\n- ${problems.join('\n- ')}`);
  }
  // An older release on a newer database is a roll-back, which must be able to start.
  if (missing.length > 0) log?.warn({ migrations: missing }, 'the database is ahead of this release');
}

/** Git may check out a file with other line ends than those with which the migration was applied. */
function hasChecksum(sql: string, checksum: string): boolean {
  const spellings = [sql, sql.replaceAll('\r\n', '\n'), sql.replaceAll('\n', '\r\n')];
  return spellings.some((spelling) => checksumOf(spelling) === checksum);
}

/** As `prisma migrate deploy` computes it. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

// The rows of `_prisma_migrations`: the table and the meaning of each column are those of `prisma migrate deploy`.

/** Null where the database has no such table. A row that `prisma migrate resolve --rolled-back` marked does not count. */
export async function readRecords(client: ClientBase): Promise<MigrationRecord[] | null> {
  const { rows: found } = await client.query<{ present: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present",
  );
  if (found[0]?.present !== true) return null;
  const { rows } = await client.query<MigrationRecord>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
      WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows;
}

/** Refuses a database that already holds tables of another program. */
export async function createRecords(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = current_schema() LIMIT 1');
  if (rowCount !== 0) {
    throw new Error('The database schema is not empty and has no table _prisma_migrations: use an empty database.');
  }
  await client.query(`CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`);
}

/** Returns the row's id. */
export async function recordStart(client: ClientBase, { name, sql }: Migration): Promise<string> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksumOf(sql),
    name,
  ]);
  return id;
}

export async function recordEnd(client: ClientBase, id: string): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

export async function recordFailure(client: ClientBase, id: string, reason: string): Promise<void> {
  await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
}

// The timeouts of sessions without a request: a role's timeouts for requests must not cut off a migration.

/** For one statement that only reads, at the start of a process. */
export const lookMillis = 10_000;

/** For a session that changes the schema: an index may take hours, and so may the wait for another process. */
export const withoutLimits =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0';
