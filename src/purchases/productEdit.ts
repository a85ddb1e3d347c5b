// mutation productEdit: says how long a product lasts to which the store gives no end.
import type { ProductEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { prepared } from '../platform/database/sql.ts';
import {
  inTransaction,
  type AdminPool,
  type AdminTransaction,
  type Transaction,
} from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, readExactName, readWholeNumber } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from '../workspace/workspace.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import type { ProductRecord } from './products.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  wroteDeliveries(count: number): void;
}

type Fields = 'applicationId' | 'productId' | 'durationDays';

const longestDays = 36_500;
/** Of an application. Those that the store names have no bound here. */
const mostProducts = 10_000;

/** Throws `validation_failed`, `not_found` (the application). */
export async function productEdit(
  { input }: { input: EveryField<ProductEditInput, Record<Fields, true>> },
  { caller, adminPool, wroteDeliveries }: Needs,
): Promise<ProductRecord> {
  const { applicationId } = input;
  const rules = inputRules();
  const productId = readExactName(rules, 'input.productId', input.productId);
  const bounds = { value: input.durationDays, least: 1, most: longestDays };
  const durationDays = readWholeNumber(rules, 'input.durationDays', bounds);
  rules.assert();
  return inTransaction(adminPool, async (transaction) => {
    const own = await lockApplication(transaction, { organizationId: caller.organizationId, id: applicationId });
    if (!own) throw new AppError('not_found', undefined);
    const stored = await lockProduct(transaction, { applicationId, productId });
    if (!stored) {
      const count = await transaction.prisma.storeProduct.count({ where: { applicationId } });
      assertRoom({ count, most: mostProducts, path: 'input.applicationId', objects: 'products' });
    }
    const before: ProductRecord = stored ?? { productId, kind: null, durationDays: null };
    const change = input.durationDays === undefined ? {} : { durationDays };
    const changed = changedFields(before, change);
    if (Object.keys(changed).length === 0) return before;
    const product = { ...before, ...change };
    await saveDuration(transaction, applicationId, product);
    wroteDeliveries(await countRetold(transaction, { applicationId, productId }));
    const line = { action: 'productEdit', objectType: 'product', objectId: productId } as const;
    await audit(transaction, caller, { ...line, details: { applicationId, ...changed } });
    return product;
  });
}

/** SQL, because it locks. The row before an edit; null for a product that nobody has named. No other transaction changes it until this one ends. */
async function lockProduct(
  transaction: Transaction,
  { applicationId, productId }: { applicationId: string; productId: string },
): Promise<ProductRecord | null> {
  const statement = prepared('lock_product')`/* purchases: lockProduct */
    SELECT product_id AS "productId", kind, duration_days AS "durationDays" FROM store_products
    WHERE application_id = ${applicationId} AND product_id = ${productId} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<ProductRecord>(statement);
  return rows[0] ?? null;
}

/** A look-up may have named the product meanwhile. The events of the product's lines are written again, from the first on. */
export async function saveDuration(
  { prisma }: Pick<AdminTransaction, 'prisma'>,
  applicationId: string,
  { productId, durationDays }: Pick<ProductRecord, 'productId' | 'durationDays'>,
): Promise<void> {
  const [key, change] = [
    { applicationId, productId },
    { durationDays, retoldTo: '' },
  ];
  await prisma.storeProduct.upsert({
    where: { applicationId_productId: key },
    create: { ...key, ...change },
    update: change,
  });
}

/** SQL, because it multiplies two counts. How many deliveries an edit of the product's duration can cause: one for each of its lines and each webhook. */
async function countRetold(
  transaction: Transaction,
  { applicationId, productId }: { applicationId: string; productId: string },
): Promise<number> {
  const statement = prepared('count_retold')`/* purchases: countRetold */
    SELECT ((SELECT count(*) FROM store_entitlements WHERE application_id = ${applicationId} AND product_id = ${productId})
      * (SELECT count(*) FROM webhooks WHERE application_id = ${applicationId} AND enabled))::float8 AS count`;
  const { rows } = await transaction.query<{ count: number }>(statement);
  return rows[0]!.count;
}
