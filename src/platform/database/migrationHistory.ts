// Compares the rows of `_prisma_migrations` with the folder of migrations: pending, edited, missing or failed.
import { createHash } from 'node:crypto';
import type { Log } from '../observability/log.ts';

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
