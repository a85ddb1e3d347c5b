// The SQL of an application's products.
import { prepared, sql, type Sql, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Lines } from './statementsStore.ts';
import type { ProductKind } from './storeClient.ts';

export interface ProductRecord {
  productId: string;
  kind: ProductKind | null;
  durationDays: number | null;
}

export async function findProducts(
  connection: SqlConnection,
  { applicationId, limit }: { applicationId: string; limit: number },
): Promise<ProductRecord[]> {
  const statement = prepared('find_products')`/* purchases: findProducts */
    SELECT product_id AS "productId", kind, duration_days AS "durationDays" FROM store_products
    WHERE application_id = ${applicationId} ORDER BY product_id COLLATE "C" LIMIT ${limit}`;
  const { rows } = await connection.query<ProductRecord>(statement);
  return rows;
}

export async function countProducts(connection: SqlConnection, applicationId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(prepared('count_products')`/* purchases: countProducts */
    SELECT count(*)::integer AS count FROM store_products WHERE application_id = ${applicationId}`);
  return rows[0]!.count;
}

/** The row before an edit; null for a product that nobody has named. No other transaction changes it until this one ends. */
export async function lockProduct(
  transaction: Transaction,
  { applicationId, productId }: { applicationId: string; productId: string },
): Promise<ProductRecord | null> {
  const statement = prepared('lock_product')`/* purchases: lockProduct */
    SELECT product_id AS "productId", kind, duration_days AS "durationDays" FROM store_products
    WHERE application_id = ${applicationId} AND product_id = ${productId} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<ProductRecord>(statement);
  return rows[0] ?? null;
}

/** A look-up may have named the product meanwhile. The product's lines are told again, from the first on. */
export async function saveDuration(
  transaction: Transaction,
  applicationId: string,
  { productId, durationDays }: ProductRecord,
): Promise<void> {
  await transaction.query(prepared('save_duration')`/* purchases: saveDuration */
    INSERT INTO store_products (application_id, product_id, duration_days, retold_to)
    VALUES (${applicationId}, ${productId}, ${durationDays}, '')
    ON CONFLICT (application_id, product_id) DO UPDATE
    SET duration_days = excluded.duration_days, retold_to = excluded.retold_to`);
}

/** How many deliveries an edit of the product's duration can cause: one for each of its lines and each webhook. */
export async function countRetold(
  transaction: Transaction,
  { applicationId, productId }: { applicationId: string; productId: string },
): Promise<number> {
  const statement = prepared('count_retold')`/* purchases: countRetold */
    SELECT ((SELECT count(*) FROM store_entitlements WHERE application_id = ${applicationId} AND product_id = ${productId})
      * (SELECT count(*) FROM webhooks WHERE application_id = ${applicationId} AND enabled))::float8 AS count`;
  const { rows } = await transaction.query<{ count: number }>(statement);
  return rows[0]!.count;
}

/** The key of a product's advisory lock. */
const lockOfProduct = (applicationId: string, productId: Sql): Sql =>
  sql`hashtextextended('purchases: product ' || ${applicationId}::text || ' ' || ${productId}, 0)`;

/**
 * Taken before a transaction adds lines to these products. The worker that tells the lines of an edited product waits for the
 * transaction: it may have read the duration from before the edit, and the worker does not see its lines before COMMIT.
 */
export async function shareProducts(
  transaction: Transaction,
  applicationId: string,
  productIds: string[],
): Promise<void> {
  const sorted = [...new Set(productIds)].sort();
  await transaction.query(prepared('share_products')`/* purchases: shareProducts */
    SELECT pg_advisory_xact_lock_shared(${lockOfProduct(applicationId, sql`id`)})
    FROM unnest(${sorted}::text[]) WITH ORDINALITY AS t (id, number) ORDER BY number`);
}

/** Mostly none is, and the search needs no transaction. */
export async function isAnyProductToRetell(connection: SqlConnection): Promise<boolean> {
  const { rows } = await connection.query<{ due: boolean }>(prepared(
    'is_any_product_to_retell',
  )`/* purchases: isAnyProductToRetell */
    SELECT EXISTS (SELECT FROM store_products WHERE retold_to IS NOT NULL) AS due`);
  return rows[0]!.due;
}

export interface RetoldLines extends Lines {
  productId: string;
  /** Up to here the lines are told after this batch; null after the last. */
  retoldTo: string | null;
}

/** The next lines of a product whose duration was edited. Null when there is none, or another worker tells it. */
export async function takeRetoldLines(transaction: Transaction, limit: number): Promise<RetoldLines | null> {
  const product = await transaction.query<Retold>(prepared('take_retold_product')`/* purchases: takeRetoldProduct */
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

interface Retold {
  applicationId: string;
  productId: string;
  retoldTo: string;
}

export async function saveRetold(
  transaction: Transaction,
  { applicationId, productId, retoldTo }: RetoldLines,
): Promise<void> {
  await transaction.query(prepared('save_retold')`/* purchases: saveRetold */
    UPDATE store_products SET retold_to = ${retoldTo}
    WHERE application_id = ${applicationId} AND product_id = ${productId}`);
}
