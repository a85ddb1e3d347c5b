// Runs Prisma's schema engine on a folder of migrations and a database: the reference for the service's own code.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationStatus } from '../../src/platform/database/migrations.ts';
import { withEngine } from './schemaEngine.ts';

interface Target {
  url: string;
  prismaDir: string;
}

const filters = { externalTables: [], externalEnums: [] };

/** The names of the migrations of a folder, in their order. */
export function migrationNames(prismaDir: string): string[] {
  const entries = readdirSync(path.join(prismaDir, 'migrations'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

/** As `prisma migrate deploy`; returns the names of the applied migrations. */
export async function engineApplies({ url, prismaDir }: Target): Promise<string[]> {
  const migrationsList = readList(prismaDir);
  const applied = await withEngine(url, ({ engine }) => engine.applyMigrations({ migrationsList, filters }));
  return applied.appliedMigrationNames;
}

/** As `prisma migrate status`. */
export async function engineStatus({ url, prismaDir }: Target): Promise<MigrationStatus> {
  const migrationsList = readList(prismaDir);
  const { history, editedMigrationNames, failedMigrationNames } = await withEngine(url, ({ engine }) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
  );
  return {
    pending: history !== null && 'unappliedMigrationNames' in history ? history.unappliedMigrationNames : [],
    edited: editedMigrationNames,
    missing: history !== null && 'unpersistedMigrationNames' in history ? history.unpersistedMigrationNames : [],
    failed: failedMigrationNames,
  };
}

function readList(prismaDir: string): MigrationList {
  const baseDir = path.join(prismaDir, 'migrations');
  const read = (...parts: string[]): string => readFileSync(path.join(baseDir, ...parts), 'utf8');
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: read('migration_lock.toml') },
    shadowDbInitScript: '',
    migrationDirectories: migrationNames(prismaDir).map((name) => {
      const content = { tag: 'ok' as const, value: read(name, 'migration.sql') };
      return { path: name, migrationFile: { path: 'migration.sql', content } };
    }),
  };
}
