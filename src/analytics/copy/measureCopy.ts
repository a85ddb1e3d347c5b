// What the copy takes: rows, memory and bytes of its file, for the metrics.
import type { CopySize } from '../../platform/observability/analyticsMetrics.ts';
import { bytesOf, type CopyFile } from './copyFile.ts';
import { rowsOfDuck } from './duck.ts';

export async function measureCopy(file: CopyFile): Promise<CopySize> {
  const counts = await rowsOfDuck<{ relation: string; count: bigint }>(file.duck, {
    text: `SELECT table_name AS relation, estimated_size AS count FROM duckdb_tables()
      WHERE database_name = $1 AND schema_name = 'stored' AND table_name NOT IN ('state', 'pieces')`,
    values: [file.catalog],
  });
  const [memory] = await rowsOfDuck<{ bytes: bigint }>(
    file.duck,
    'SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT AS bytes FROM duckdb_memory()',
  );
  return {
    rows: Object.fromEntries(counts.map(({ relation, count }) => [relation, Number(count)])),
    memoryBytes: Number(memory!.bytes),
    fileBytes: await bytesOf(file),
  };
}
