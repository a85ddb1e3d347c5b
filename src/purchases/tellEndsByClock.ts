// What each worker repeats: it writes the events of entitlements that have ended by time, and of those whose end moved because a product's duration was edited.
import type { Pool } from 'pg';
import { prepared, sql } from '../platform/database/sql.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { LineChange } from './decideHolders.ts';
import { begins } from './entitlement.ts';
import { findLines, lockLines, lockOfLine, lockOfProduct, type Lines } from './statementsStore.ts';
import { beginPeriods } from './storeStatement.ts';
import { emitEntitlementEvents } from './emitEntitlementEvents.ts';

/** Each takes an entry of PostgreSQL's table of locks, of which the default is 6,400. */
const batchSize = 500;

/** Ends when no more than one batch was due, or others hold all lines of one. Returns how many lines were read. */
export async function tellEndsByClock(pool: Pool, now: () => Date = () => new Date()): Promise<number> {
  let told = 0;
  // Mostly none is, and the search needs no transaction.
  const { rows } = await pool.query<{ ended: boolean }>(prepared('is_any_line_ended')`/* purchases: isAnyLineEnded */
    SELECT EXISTS (SELECT FROM store_entitlements WHERE tell_at <= ${now()}) AS ended`);
  if (!rows[0]!.ended) return told;
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
 * A line that another transaction holds is left to it: it writes the event of the end, or moves it. The search waits for no row: the
 * transaction that queues look-ups holds rows and waits for the job of an upload, and the upload waits for a line.
 * `found` has those too; `held` are of each application the lines that this transaction holds from now on, sorted.
 */
async function holdEndedLines(
  transaction: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<{ found: number; held: Lines[] }> {
  const statement = prepared('hold_ended_lines')`/* purchases: holdEndedLines */
    WITH ended AS MATERIALIZED (
      SELECT line_id, application_id FROM store_entitlements WHERE tell_at <= ${now}
      ORDER BY tell_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED),
    tried AS MATERIALIZED (
      SELECT *, pg_try_advisory_xact_lock(${lockOfLine(sql`application_id`, sql`line_id`)}) AS held FROM ended)
    SELECT application_id AS "applicationId", count(*)::int AS found,
      coalesce(array_agg(line_id ORDER BY line_id) FILTER (WHERE held), '{}') AS "lineIds"
    FROM tried GROUP BY application_id ORDER BY application_id`;
  const { rows } = await transaction.query<Lines & { found: number }>(statement);
  const held = rows.map(({ applicationId, lineIds }) => ({ applicationId, lineIds }));
  return {
    found: rows.reduce((sum, { found }) => sum + found, 0),
    held: held.filter(({ lineIds }) => lineIds.length > 0),
  };
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
  await emitEntitlementEvents(transaction, { applicationId, changes }, { now, atOf });
}

/** An edit of a duration ends or prolongs all lines of the product, too many for its transaction. Returns how many were read. */
export async function retellProducts(pool: Pool, now: () => Date = () => new Date()): Promise<number> {
  let told = 0;
  const { rows } = await pool.query<{ due: boolean }>(prepared('is_any_product')`/* purchases: isAnyProductToRetell */
    SELECT EXISTS (SELECT FROM store_products WHERE retold_to IS NOT NULL) AS due`);
  if (!rows[0]!.due) return told;
  for (;;) {
    const lines = await inTransaction(pool, async (transaction) => {
      const next = await takeRetoldLines(transaction, batchSize);
      if (next === null) return null;
      await lockLines(transaction, next);
      await tellStored(transaction, next, now());
      await transaction.query(prepared('save_retold')`/* purchases: saveRetold */
        UPDATE store_products SET retold_to = ${next.retoldTo}
        WHERE application_id = ${next.applicationId} AND product_id = ${next.productId}`);
      return next.lineIds.length;
    });
    if (lines === null) return told;
    told += lines;
  }
}

interface Product {
  applicationId: string;
  productId: string;
  retoldTo: string;
}

interface RetoldLines extends Lines {
  productId: string;
  /** Up to here the events are written after this batch; null after the last. */
  retoldTo: string | null;
}

/** The next lines of a product whose duration was edited. Null when there is none, or another worker tells it. */
async function takeRetoldLines(transaction: Transaction, limit: number): Promise<RetoldLines | null> {
  const product = await transaction.query<Product>(prepared('take_retold_product')`/* purchases: takeRetoldProduct */
    SELECT application_id AS "applicationId", product_id AS "productId", retold_to AS "retoldTo" FROM store_products
    WHERE retold_to IS NOT NULL ORDER BY application_id, product_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`);
  const [next] = product.rows;
  if (!next) return null;
  const { applicationId, productId, retoldTo } = next;
  await transaction.query(prepared('wait_for_shared_product')`/* purchases: waitForSharedProduct */
    SELECT pg_advisory_xact_lock(${lockOfProduct(applicationId, sql`${productId}::text`)})`);
  const { rows } = await transaction.query<{ id: string }>(prepared(
    'find_retold_lines',
  )`/* purchases: findRetoldLines */
    SELECT line_id AS id FROM store_entitlements
    WHERE application_id = ${applicationId} AND product_id = ${productId} AND line_id > ${retoldTo}
    ORDER BY line_id LIMIT ${limit}`);
  const lineIds = rows.map(({ id }) => id);
  const last = lineIds.length < limit ? null : lineIds.at(-1)!;
  return { applicationId, productId, lineIds: lineIds.sort(), retoldTo: last };
}
