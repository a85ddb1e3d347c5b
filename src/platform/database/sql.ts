// Statements written by hand: a tag numbers the values as `$1`, `$2` (docs/decisions/transactions.md).
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Statement } from './sqlClient.ts';

/** `raw` is for SQL of our own, such as names of tables and columns, and never for input. */
export { empty, raw, sql, type Sql };

/**
 * A tag for a statement that `pg` keeps prepared under `name` on each connection. `pg` rejects another text under the
 * same name, so every varying part must be a value.
 */
export function prepared(name: string) {
  return (strings: readonly string[], ...parts: unknown[]): Required<Statement> => {
    const { text, values } = sql(strings, ...parts);
    return { name, text, values };
  };
}

/** The parts one after the other; nothing where there is none. */
export function concat(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join([...parts], '');
}
