// query products: the products of one application that the store or an admin has named.
import type { Pool } from 'pg';
import type { QueryProductsArgs } from '../../generated/graphql.ts';
import type { PrismaClient, StoreProduct } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';

export type ProductRecord = Pick<StoreProduct, 'productId' | 'kind' | 'durationDays'>;

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

/** SQL, because of its order in every locale. Throws `not_found` (the application). */
export async function products({ applicationId }: QueryProductsArgs, needs: Needs): Promise<ProductRecord[]> {
  await assertOwnApplication(needs, applicationId);
  return withinBudget(needs.budget, async ({ limit }) => {
    const { rows } = await needs.adminPool.query<ProductRecord>(prepared('find_products')`/* purchases: products */
      SELECT product_id AS "productId", kind, duration_days AS "durationDays" FROM store_products
      WHERE application_id = ${applicationId} ORDER BY product_id COLLATE "C" LIMIT ${limit}`);
    return rows;
  });
}
