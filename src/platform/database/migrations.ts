// Applies prisma/migrations to a database and reports which are pending, as `prisma migrate deploy` and `status` do.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observability/log.ts';
import { checkHistory, compareWithRecords, type Migration, type MigrationStatus } from './migrationHistory.ts';
import { createRecords, readRecords, recordEnd, recordFailure, recordStart } from './migrationRecords.ts';
import { lookMillis, withoutLimits } from './sessionLimits.ts';

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
