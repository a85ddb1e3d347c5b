// Applies prisma/migrations to a database and tells how far it is, as `prisma migrate deploy` would, without its download.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiagnoseMigrationHistoryOutput, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import type { Log } from '../observability/log.ts';
import { withEngine, type EngineSession } from './schemaEngine.ts';
import { lookMillis, withoutLimits } from './sessionLimits.ts';

export interface MigrationOptions {
  url: string;
  /** The folder that holds schema.prisma and migrations/. */
  prismaDir: string;
  log?: Pick<Log, 'info' | 'warn'>;
  lockWait?: LockWait;
}

/** Uploads queue up behind a lock that waits for a reader, a pg_dump of hours for one: for so long, and then it pauses. */
export interface LockWait {
  millis: number;
  pauseMillis: number;
}

const defaultLockWait: LockWait = { millis: 2_000, pauseMillis: 5_000 };

/** Names of migrations, in their order. */
export interface MigrationStatus {
  pending: string[];
  /** Applied, but the file says something else now. */
  edited: string[];
  /** Applied, but not in the folder. */
  missing: string[];
  /** Begun outside a transaction and not finished. */
  failed: string[];
}

interface PendingMigration {
  all: MigrationList;
  name: string;
  log: MigrationOptions['log'];
  lockWait: LockWait;
}

/** The lock that Prisma's own command takes too, so that the two exclude each other. */
export const migrationLock = 72707369;
const lockNotAvailable = '55P03';
const noFilters = { externalTables: [], externalEnums: [] };

export async function migrationStatus(options: Pick<MigrationOptions, 'url' | 'prismaDir'>): Promise<MigrationStatus> {
  const migrationsList = await readMigrations(options.prismaDir);
  return await withEngine({ connectionString: options.url, query_timeout: lookMillis }, async (session) => {
    await session.query('set default_transaction_read_only = on');
    await requireUtf8(session);
    return await diagnose(session, migrationsList);
  });
}

/** Changes nothing. Throws when the database and the folder contradict each other. */
export async function pendingMigrations(options: MigrationOptions): Promise<string[]> {
  const status = await migrationStatus(options);
  checkHistory(status, options.log);
  return status.pending;
}

/**
 * Applies what is pending and returns its names. Each migration and its record are one transaction: one that fails, or
 * is cut off by a crash, leaves nothing. Of several processes that start together one works and the others wait.
 */
export async function applyMigrations(options: MigrationOptions): Promise<string[]> {
  const migrationsList = await readMigrations(options.prismaDir);
  return await withEngine({ connectionString: options.url }, async (session) => {
    await session.query(withoutLimits);
    await requireUtf8(session);
    await lock(session, options.log);
    const status = await diagnose(session, migrationsList);
    checkHistory(status, options.log);
    // With nothing to apply the engine makes its table, or refuses a database that was filled by other means.
    await session.engine.applyMigrations({
      migrationsList: { ...migrationsList, migrationDirectories: [] },
      filters: noFilters,
    });
    for (const name of status.pending) {
      await applyOne(session, {
        all: migrationsList,
        name,
        log: options.log,
        lockWait: options.lockWait ?? defaultLockWait,
      });
      options.log?.info({ migration: name }, 'migration applied');
    }
    return status.pending;
  });
}

/** In any other encoding some names and values could not be stored, and their uploads would be refused for it. */
async function requireUtf8({ query }: EngineSession): Promise<void> {
  const [found] = await query<{ encoding: string }>("select current_setting('server_encoding') as encoding");
  if (found?.encoding === 'UTF8') return;
  throw new Error(`The database has the encoding ${String(found?.encoding)}: create it with ENCODING 'UTF8'.`);
}

async function lock({ query }: EngineSession, log: MigrationOptions['log']): Promise<void> {
  const [tried] = await query<{ locked: boolean }>(`select pg_try_advisory_lock(${String(migrationLock)}) as locked`);
  if (tried?.locked === true) return;
  log?.info({}, 'another process migrates this database: waiting for it');
  await query(`select pg_advisory_lock(${String(migrationLock)})`);
}

async function diagnose({ engine }: EngineSession, migrationsList: MigrationList): Promise<MigrationStatus> {
  const found: DiagnoseMigrationHistoryOutput = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: noFilters,
  });
  const { history } = found;
  return {
    pending: history !== null && 'unappliedMigrationNames' in history ? history.unappliedMigrationNames : [],
    missing: history !== null && 'unpersistedMigrationNames' in history ? history.unpersistedMigrationNames : [],
    edited: found.editedMigrationNames,
    failed: found.failedMigrationNames,
  };
}

function checkHistory({ pending, edited, missing, failed }: MigrationStatus, log: MigrationOptions['log']): void {
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
  // An older release on a newer database: a roll-back, which must be able to start.
  if (missing.length > 0) log?.warn({ migrations: missing }, 'the database is ahead of this release');
}

async function applyOne(session: EngineSession, pending: PendingMigration): Promise<void> {
  const { name, log, lockWait } = pending;
  while (!(await tryOne(session, pending))) {
    // The oldest is most likely the one that holds the lock; asked afterwards, nobody knows for certain.
    const [oldest] = await session.query(oldestTransaction);
    log?.warn({ migration: name, oldest }, 'a migration waits for a lock, and uploads have a turn');
    await sleep(lockWait.pauseMillis);
  }
}

const oldestTransaction = `
  SELECT pid, application_name AS application, xact_start AS since FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`;

/** False, and nothing has happened, where a lock was not to be had. */
async function tryOne(session: EngineSession, { all, name, lockWait }: PendingMigration): Promise<boolean> {
  const upTo = all.migrationDirectories.findIndex((each) => each.path === name) + 1;
  const migrationsList = { ...all, migrationDirectories: all.migrationDirectories.slice(0, upTo) };
  const script = scriptOf(migrationsList);
  // CREATE INDEX CONCURRENTLY refuses a transaction; everything else gains by one.
  const together = !/\bconcurrently\b/i.test(script.replaceAll(/--.*$/gm, ''));
  try {
    if (together) await session.query(`begin; set local lock_timeout = ${String(lockWait.millis)}`);
    await session.engine.applyMigrations({ migrationsList, filters: noFilters });
    if (together) await session.query('commit');
    return true;
  } catch (error) {
    const failure = session.takeScriptFailure();
    if (together && failure instanceof pg.DatabaseError && failure.code === lockNotAvailable) {
      await session.query('rollback');
      return false;
    }
    const reason = failure instanceof pg.DatabaseError ? explain(failure, script) : String(error);
    const kept = together ? 'nothing of it was kept' : 'it ran outside a transaction, so look at what it left';
    throw new Error(`Migration ${name} failed, ${kept}: ${reason}`, { cause: failure ?? error });
  }
}

function explain({ message, code, detail, position }: pg.DatabaseError, script: string): string {
  const line = position === undefined ? '' : `, line ${String(script.slice(0, Number(position)).split('\n').length)}`;
  return `${message} (SQLSTATE ${code ?? 'unknown'}${line})${detail === undefined ? '' : `. ${detail}`}`;
}

function scriptOf({ migrationDirectories }: MigrationList): string {
  const content = migrationDirectories.at(-1)?.migrationFile.content;
  return content?.tag === 'ok' ? content.value : '';
}

async function readMigrations(prismaDir: string): Promise<MigrationList> {
  const baseDir = path.join(prismaDir, 'migrations');
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const lockfile = {
    path: 'migration_lock.toml',
    content: await readFile(path.join(baseDir, 'migration_lock.toml'), 'utf8'),
  };
  const reading = names.sort().map(async (name) => {
    const value = await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8');
    return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } };
  });
  return { baseDir, lockfile, shadowDbInitScript: '', migrationDirectories: await Promise.all(reading) };
}
