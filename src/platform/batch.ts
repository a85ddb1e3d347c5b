// One fetch for all parents of a level of a GraphQL response. Nothing is cached, because a later mutation of the request must be seen.
import DataLoader from 'dataloader';
import { costOfRows, type AnswerBudget, type Cost } from './answerBudget.ts';
import { AppError } from './errors.ts';
import { jsonBytes } from './json/jsonBytes.ts';

export interface Batch<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** The rows of each key, in the order of the fetch. The fetch gives at most `take` rows. */
export function batchLists<Row>(
  budget: AnswerBudget,
  fetch: (keys: readonly string[], take: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row[]> {
  const fetchLists = async (keys: readonly string[], take: number) => {
    const rows = new Map<string, Row[]>(keys.map((key) => [key, []]));
    for (const row of await fetch([...rows.keys()], take)) rows.get(keyOf(row))?.push(row);
    return keys.map((key) => rows.get(key)!);
  };
  return new DataLoader<string, Row[]>((keys) => budget.read(({ limit }) => fetchLists(keys, limit), costOfLists), {
    cache: false,
  });
}

/** The one row of each key. Throws `not_found` when the row was deleted after the row that refers to it was read. */
export function batchRows<Row>(
  budget: AnswerBudget,
  fetch: (keys: readonly string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row> {
  const fetchRows = async (keys: readonly string[]) => {
    const rows = new Map((await fetch([...new Set(keys)])).map((row) => [keyOf(row), row]));
    return keys.map((key) => rows.get(key) ?? new AppError('not_found', undefined));
  };
  return new DataLoader<string, Row>(
    (keys) =>
      budget.read(
        () => fetchRows(keys),
        (rows) => costOfRows(rows, (row) => jsonBytes(row)),
      ),
    { cache: false },
  );
}

/** A list counts once for each parent, but is measured only once: many parents may have the same key. */
export function costOfLists<Row>(
  lists: readonly Row[][],
  bytesOf: (row: Row) => number = (row) => jsonBytes(row),
): Cost {
  const costs = new Map([...new Set(lists)].map((list) => [list, costOfRows(list, bytesOf)]));
  const sum = (part: keyof Cost): number => lists.reduce((total, list) => total + costs.get(list)![part], 0);
  return { rows: sum('rows'), bytes: sum('bytes') };
}
