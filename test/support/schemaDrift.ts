// Compares a migrated database with schema.prisma, as `prisma migrate diff` does.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationOptions } from '../../src/platform/database/migrations.ts';
import { withEngine } from './schemaEngine.ts';

/**
 * The SQL that leads from this database to schema.prisma, or '' when they agree. Prisma sees tables, columns, enums,
 * keys, foreign keys and ordinary indexes. Only the migrations define partitions, functions, triggers, views, checks,
 * and partial or expression indexes.
 */
export async function schemaDrift({ url, prismaDir }: Pick<MigrationOptions, 'url' | 'prismaDir'>): Promise<string> {
  const file = path.join(prismaDir, 'schema.prisma');
  const files = [{ path: file, content: await readFile(file, 'utf8') }];
  return await withEngine(url, async ({ engine, query }) => {
    await query('set default_transaction_read_only = on');
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: prismaDir },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  });
}
