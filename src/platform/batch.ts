// One fetch for all parents of a level of a GraphQL answer. Nothing is remembered: a later mutation of the request must be seen.
import DataLoader from 'dataloader';

export interface Batch<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** The rows of each key, in the order of the fetch. */
export function batchLists<Row>(
  fetch: (keys: readonly string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row[]> {
  return new DataLoader<string, Row[]>(
    async (keys) => {
      const rows = new Map<string, Row[]>(keys.map((key) => [key, []]));
      for (const row of await fetch([...rows.keys()])) rows.get(keyOf(row))?.push(row);
      return keys.map((key) => rows.get(key)!);
    },
    { cache: false },
  );
}

/** The one row of each key; rejects for a key without a row. */
export function batchRows<Row>(
  fetch: (keys: readonly string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row> {
  return new DataLoader<string, Row>(
    async (keys) => {
      const rows = new Map((await fetch([...new Set(keys)])).map((row) => [keyOf(row), row]));
      return keys.map((key) => rows.get(key) ?? new Error('a row that another one refers to is gone'));
    },
    { cache: false },
  );
}
