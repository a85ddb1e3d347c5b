// Bounds the rows and bytes that one admin request reads: lists below lists multiply, and the limit on depth does not bound them.
import DataLoader from 'dataloader';
import { createLimiter } from './concurrencyLimiter.ts';
import { AppError } from './errors.ts';
import { jsonBytes } from './json/jsonBytes.ts';

export const mostRows = 20_000;
export const mostBytes = 16 * 1_024 * 1_024;

/** The room that is left for a read. */
export interface Room {
  /** Rows, one more than allowed: the extra row shows that there are too many. */
  limit: number;
  /** Bytes of UTF-8. A read of long rows sends nothing beyond them, and gives the full length as `bytes`. */
  bytes: number;
}

export interface Cost {
  rows: number;
  bytes: number;
}

export interface ResponseBudget {
  /**
   * Runs the reads of an operation one after the other, so that each knows the remaining room. Parallel reads, one for
   * each alias, would fill the memory before the first is charged. Throws `validation_failed` when a read finds more
   * than there is room, and at every later read.
   */
  read<Found>(fetch: (room: Room) => Promise<Found>, costOf: (found: Found) => Cost): Promise<Found>;
}

export function withinBudget<Row>(
  budget: ResponseBudget,
  fetch: (room: Room) => Promise<Row[]>,
  bytesOf: (row: Row) => number = (row) => jsonBytes(row),
): Promise<Row[]> {
  return budget.read(fetch, (rows) => costOfRows(rows, bytesOf));
}

export function costOfRows<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Cost {
  return { rows: rows.length, bytes: rows.reduce((sum, row) => sum + bytesOf(row), 0) };
}

export interface BudgetOptions {
  /** Aborts when the client has gone. */
  signal?: AbortSignal;
  /** Called once, after the read that makes the request large. The request goes on when it resolves. */
  becomesLarge?: () => Promise<void>;
}

/** Few screens of a dashboard read so much. */
const large = { rows: 2_000, bytes: 2 * 1_024 * 1_024 };

/** The budget of one request. 20,000 rows take about 0.4 s of this process and make a response of 10 MB. */
export function createResponseBudget({ signal, becomesLarge }: BudgetOptions = {}): ResponseBudget {
  const left = { rows: mostRows, bytes: mostBytes };
  const oneByOne = createLimiter({ atOnce: 1, longestQueue: Infinity, refusal: tooLong });
  let turn: Promise<void> | undefined;
  const assertRoom = (): void => {
    // Nobody waits for the response. A client that asks and goes, again and again, would fill the memory.
    if (signal?.aborted) throw tooLong();
    if (left.rows < 0) throw tooMany();
    if (left.bytes < 0) throw tooLong();
  };
  return {
    read: (fetch, costOf) =>
      oneByOne(async () => {
        assertRoom();
        const found = await fetch({ limit: left.rows + 1, bytes: left.bytes });
        const cost = costOf(found);
        left.rows -= cost.rows;
        left.bytes -= cost.bytes;
        assertRoom();
        const isLarge = left.rows < mostRows - large.rows || left.bytes < mostBytes - large.bytes;
        if (isLarge) await (turn ??= becomesLarge?.());
        assertRoom();
        return found;
      }),
  };
}

const refusal = (message: string): AppError<'validation_failed'> =>
  new AppError('validation_failed', { fields: [{ path: '', message }] });

const tooMany = () => refusal(`asks for more than ${mostRows} objects: ask for fewer levels or smaller pages`);

/** Also used for a response that repeats short parts. */
export const tooLong = () =>
  refusal(`asks for more than ${mostBytes} bytes: ask for fewer long fields or smaller pages`);

// One fetch for all parents of a level of a GraphQL response. Nothing is cached, because a later mutation of the request must be seen.

export interface Batch<Key, Value> {
  load(key: Key): Promise<Value>;
}

/** The rows of each key, in the order of the fetch. The fetch gives at most `take` rows. */
export function batchLists<Row>(
  budget: ResponseBudget,
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
  budget: ResponseBudget,
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
