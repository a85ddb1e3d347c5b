// Rows as lines of CSV, which PostgreSQL writes and DuckDB reads: in between, Node only passes text on.
import type { Sql } from '../../platform/database/sql.ts';
import { raw } from '../../platform/database/sql.ts';
import { quoted } from './copyFolder.ts';

/** A column of a line: its type in DuckDB, and the SQL of PostgreSQL that gives it. */
export type LineColumns = Readonly<Record<string, readonly [type: string, sql: string]>>;

/** A text in quotes, so that an empty one is not null. */
export const text = (sql: string) => ['VARCHAR', `'"' || replace(${sql}, '"', '""') || '"'`] as const;
export const json = (sql: string) => ['JSON', text(`${sql}::text`)[1]] as const;
/** Microseconds since 1970. */
export const micros = (sql: string) => ['BIGINT', `(extract(epoch FROM ${sql}) * 1000000)::bigint`] as const;

/** The one column of a statement. */
export const lineOf = (columns: LineColumns): Sql => raw(`${textOfLine(columns)} AS line`);

/** `concat` writes nothing for null. */
export function textOfLine(columns: LineColumns): string {
  const parts = Object.values(columns).map(([, sql]) => sql);
  return `concat(${parts.join(", ',', ")})`;
}

/** The same text in DuckDB. `sqlOf` gives the SQL of a column of this name. */
export function duckTextOfLine(columns: LineColumns, sqlOf: (column: string) => string): string {
  const parts = Object.entries(columns).map(([name, [type]]) => {
    const sql = sqlOf(name);
    if (type === 'VARCHAR' || type === 'JSON') return `'"' || replace(${sql}, '"', '""') || '"'`;
    if (type === 'BOOLEAN') return `CASE WHEN ${sql} THEN 't' WHEN NOT ${sql} THEN 'f' END`;
    // DuckDB writes 50.0 where PostgreSQL writes 50.
    return type === 'DOUBLE' ? `regexp_replace(${sql}::VARCHAR, '\\.0$', '')` : sql;
  });
  return `concat(${parts.join(", ',', ")})`;
}

/** The longest line: the parameters of an event in an upload of 8 MiB, all of them quotes, which CSV doubles. */
const longestLine = 17 * 1_048_576;

/** The table function that reads lines. It reads in one thread: lines hold line feeds, in quotes. */
export function readLines(file: string, columns: LineColumns): string {
  const types = Object.entries(columns).map(([name, [type]]) => `${quoted(name)}: ${quoted(type)}`);
  const format = `delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false`;
  const bounds = `max_line_size = ${longestLine}, buffer_size = ${longestLine + 1_048_576}, parallel = false`;
  return `read_csv(${quoted(file)}, auto_detect = false, header = false, ${format}, ${bounds}, columns = {${types.join(', ')}})`;
}
