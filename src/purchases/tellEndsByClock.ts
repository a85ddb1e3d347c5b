// What each worker repeats: it writes the events of entitlements that have ended by time, and of those whose end moved because a product's duration was edited.
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { LineChange } from './decideHolders.ts';
import { isAnyProductToRetell, saveRetold, takeRetoldLines } from './productsStore.ts';
import { begins } from './entitlement.ts';
import { findLines, lockLines, type Lines } from './statementsStore.ts';
import { beginPeriods } from './storeStatement.ts';
import { holdEndedLines, isAnyLineEnded, tellLines } from './tellLines.ts';

/** Each takes an entry of PostgreSQL's table of locks, of which the default is 6,400. */
const batchSize = 500;

/** Ends when no more than one batch was due, or others hold all lines of one. Returns how many lines were read. */
export async function tellEndsByClock(pool: Pool, now: () => Date = () => new Date()): Promise<number> {
  let told = 0;
  if (!(await isAnyLineEnded(pool, now()))) return told;
  for (;;) {
    const batch = await inTransaction(pool, async (transaction) => {
      const at = now();
      const { found, held } = await holdEndedLines(transaction, { now: at, limit: batchSize });
      for (const lines of held) await tellStored(transaction, lines, at);
      return { found, held: held.reduce((sum, { lineIds }) => sum + lineIds.length, 0) };
    });
    told += batch.held;
    if (batch.found < batchSize || batch.held === 0) return told;
  }
}

/**
 * The lines are read after their lock: what a statement has told meanwhile is not told again. Where another period begins, the
 * line is compared with the one that has ended.
 */
async function tellStored(transaction: Transaction, lines: Lines, now: Date): Promise<void> {
  const before = await findLines(transaction, lines);
  const begun = [...before.values()].filter(({ beginsAt }) => beginsAt !== null && begins(beginsAt) <= now);
  const moved = { ...lines, lineIds: begun.map(({ lineId }) => lineId).sort() };
  if (begun.length > 0) await beginPeriods(transaction, moved, now);
  const after = begun.length > 0 ? await findLines(transaction, moved) : before;
  const holders = { before: [], after: [] };
  const changes = [...before.values()].map((line) => {
    return { lineId: line.lineId, before: line, after: after.get(line.lineId) ?? line, holders };
  });
  const { applicationId } = lines;
  const atOf = ({ after: { tellAt } }: LineChange) => (tellAt !== null && tellAt < now ? tellAt : now);
  await tellLines(transaction, { applicationId, changes }, { now, atOf });
}

/** An edit of a duration ends or prolongs all lines of the product, too many for its transaction. Returns how many were read. */
export async function retellProducts(pool: Pool, now: () => Date = () => new Date()): Promise<number> {
  let told = 0;
  if (!(await isAnyProductToRetell(pool))) return told;
  for (;;) {
    const lines = await inTransaction(pool, async (transaction) => {
      const next = await takeRetoldLines(transaction, batchSize);
      if (next === null) return null;
      await lockLines(transaction, next);
      await tellStored(transaction, next, now());
      await saveRetold(transaction, next);
      return next.lineIds.length;
    });
    if (lines === null) return told;
    told += lines;
  }
}
