// query products: the products of one application that the store or an admin has named.
import type { Pool } from 'pg';
import type { QueryProductsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';
import { findProducts, type ProductRecord } from './productsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

/** Throws `not_found` (the application). */
export async function products(
  { applicationId }: QueryProductsArgs,
  { caller, adminPool, prisma, budget }: Needs,
): Promise<ProductRecord[]> {
  await assertOwnApplication({ caller, prisma }, applicationId);
  return withinBudget(budget, ({ limit }) => findProducts(adminPool, { applicationId, limit }));
}
