// One fetch for all parents of a level of a GraphQL answer. Nothing is remembered: a later mutation of the request must be seen.
import DataLoader from 'dataloader';
import { AppError } from './errors.ts';
import type { RowBudget } from './rowBudget.ts';

export interface Batch<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** The rows of each key, in the order of the fetch, which gives at most `take` rows: one more than are allowed is enough. */
export function batchLists<Row>(
  budget: RowBudget,
  fetch: (keys: readonly string[], take: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row[]> {
  return new DataLoader<string, Row[]>(
    async (keys) => {
      const rows = new Map<string, Row[]>(keys.map((key) => [key, []]));
      for (const row of await fetch([...rows.keys()], budget.left() + 1)) rows.get(keyOf(row))?.push(row);
      budget.spend(keys.reduce((sum, key) => sum + rows.get(key)!.length, 0));
      return keys.map((key) => rows.get(key)!);
    },
    { cache: false },
  );
}

/** The one row of each key; `not_found` for a key whose row has been deleted since the row that refers to it was read. */
export function batchRows<Row>(
  budget: RowBudget,
  fetch: (keys: readonly string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row> {
  return new DataLoader<string, Row>(
    async (keys) => {
      budget.spend(keys.length);
      const rows = new Map((await fetch([...new Set(keys)])).map((row) => [keyOf(row), row]));
      return keys.map((key) => rows.get(key) ?? new AppError('not_found', undefined));
    },
    { cache: false },
  );
}
