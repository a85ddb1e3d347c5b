// How many rows one answer may hold below its root fields: lists below lists multiply, and depth alone does not bound them.
import { AppError } from './errors.ts';

const mostRows = 20_000;

export interface RowBudget {
  /** What may still be fetched. */
  left(): number;
  /** Throws `validation_failed` once more is spent than there was. */
  spend(rows: number): void;
}

/** Of `fetch`, which gives at most `limit` rows: one more than are allowed is enough to refuse them. */
export async function withinBudget<Row>(budget: RowBudget, fetch: (limit: number) => Promise<Row[]>): Promise<Row[]> {
  const rows = await fetch(budget.left() + 1);
  budget.spend(rows.length);
  return rows;
}

/** For one request. 20,000 rows take some 0.4 s of this process and 10 MB of answer. */
export function createRowBudget(): RowBudget {
  let left = mostRows;
  return {
    left: () => left,
    spend(rows) {
      left = Math.max(-1, left - rows);
      if (left >= 0) return;
      const message = `asks for more than ${mostRows} objects: ask for fewer levels or smaller pages`;
      throw new AppError('validation_failed', { fields: [{ path: '', message }] });
    },
  };
}
