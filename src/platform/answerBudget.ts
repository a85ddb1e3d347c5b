// How much one answer of the admin API may hold: lists below lists multiply, and depth alone does not bound them.
import { AppError } from './errors.ts';
import { jsonBytes } from './json/jsonBytes.ts';
import { createTurns } from './turns.ts';

const mostRows = 20_000;
export const mostBytes = 16 * 1_024 * 1_024;

/** What a read may still find. */
export interface Room {
  /** Of rows, one more than are allowed: it is enough to refuse them. */
  limit: number;
  /** Of UTF-8. A read whose rows may be long leaves out what is beyond it, and says with `bytes` how long all of it is. */
  bytes: number;
}

export interface Cost {
  rows: number;
  bytes: number;
}

export interface AnswerBudget {
  /**
   * One read of the operation after the other, so that each knows what is left: side by side every alias would fill the
   * memory before any of them is charged. Throws `validation_failed` once more was found than there was room, and
   * asks nothing any more.
   */
  read<Found>(fetch: (room: Room) => Promise<Found>, costOf: (found: Found) => Cost): Promise<Found>;
}

export function withinBudget<Row>(
  budget: AnswerBudget,
  fetch: (room: Room) => Promise<Row[]>,
  bytesOf: (row: Row) => number = (row) => jsonBytes(row),
): Promise<Row[]> {
  return budget.read(fetch, (rows) => costOfRows(rows, bytesOf));
}

export function costOfRows<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Cost {
  return { rows: rows.length, bytes: rows.reduce((sum, row) => sum + bytesOf(row), 0) };
}

/** For one request. 20,000 rows take some 0.4 s of this process and 10 MB of answer. */
export function createAnswerBudget(): AnswerBudget {
  const left = { rows: mostRows, bytes: mostBytes };
  const inTurn = createTurns({ atOnce: 1, longestQueue: Infinity, refusal: tooLong });
  const assertRoom = (): void => {
    if (left.rows < 0) throw tooMany();
    if (left.bytes < 0) throw tooLong();
  };
  return {
    read: (fetch, costOf) =>
      inTurn(async () => {
        assertRoom();
        const found = await fetch({ limit: left.rows + 1, bytes: left.bytes });
        const { rows, bytes } = costOf(found);
        left.rows -= rows;
        left.bytes -= bytes;
        assertRoom();
        return found;
      }),
  };
}

const refusal = (message: string): AppError<'validation_failed'> =>
  new AppError('validation_failed', { fields: [{ path: '', message }] });

const tooMany = () => refusal(`asks for more than ${mostRows} objects: ask for fewer levels or smaller pages`);

/** Also for an answer whose parts are short and repeated. */
export const tooLong = () =>
  refusal(`asks for more than ${mostBytes} bytes: ask for fewer long fields or smaller pages`);
