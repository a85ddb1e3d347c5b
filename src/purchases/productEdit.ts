// mutation productEdit: says how long a product lasts to which the store gives no end.
import type { ProductEditInput } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, readExactName, readWholeNumber } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from '../workspace/workspace.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import { countProducts, countRetold, lockProduct, saveDuration, type ProductRecord } from './productsStore.ts';

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
      const count = await countProducts(transaction, applicationId);
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
