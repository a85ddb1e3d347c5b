// The SQL of an application's products.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
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

/** A look-up may have named the product meanwhile. */
export async function saveDuration(
  transaction: Transaction,
  applicationId: string,
  { productId, durationDays }: ProductRecord,
): Promise<void> {
  await transaction.query(prepared('save_duration')`/* purchases: saveDuration */
    INSERT INTO store_products (application_id, product_id, duration_days)
    VALUES (${applicationId}, ${productId}, ${durationDays})
    ON CONFLICT (application_id, product_id) DO UPDATE SET duration_days = excluded.duration_days`);
}
