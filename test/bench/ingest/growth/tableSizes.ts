// Measures the disk space of the stored history.
import { withClient } from '../targets/benchDatabase.ts';

export interface TableSize {
  table: string;
  rows: number;
  tableBytes: number;
  indexBytes: number;
  /** Bytes of table and indexes per row. */
  bytesPerRow: number;
}

/** The size of all partitions of events together, and of each other table. */
export function tableSizes(databaseUrl: string): Promise<TableSize[]> {
  return withClient(databaseUrl, async (client) => {
    const sizes: TableSize[] = [];
    for (const table of ['events', 'sessions', 'devices']) {
      const { rows } = await client.query<Omit<TableSize, 'table' | 'bytesPerRow'>>(
        `SELECT (SELECT count(*) FROM ${table})::float8 AS rows, sum(pg_table_size(relid))::float8 AS "tableBytes",
          sum(pg_indexes_size(relid))::float8 AS "indexBytes"
        FROM (SELECT $1::regclass AS relid UNION SELECT relid FROM pg_partition_tree($1::regclass)) AS tables`,
        [table],
      );
      const size = rows[0]!;
      sizes.push({ table, ...size, bytesPerRow: (size.tableBytes + size.indexBytes) / size.rows });
    }
    return sizes;
  });
}
