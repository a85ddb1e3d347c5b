// The store transactions and entitlements of a Device, as the dashboard asks for them.
import type { Pool } from 'pg';
import type { SeenDevice } from '../devices/device.ts';
import { withinBudget, type RowBudget } from '../platform/rowBudget.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from './entitlementsStore.ts';

interface Needs {
  pool: Pool;
  budget: RowBudget;
  now(): Date;
}

export const devicePurchases = {
  transactions: ({ key: deviceKey }: SeenDevice, _args: unknown, { pool, budget }: Needs) =>
    withinBudget(budget, (limit) => storeTransactionsOfDevice(pool, { deviceKey, limit })),
  entitlements: ({ key: deviceKey }: SeenDevice, _args: unknown, { pool, budget, now }: Needs) =>
    withinBudget(budget, (limit) => entitlementsOfDevice(pool, { deviceKey, limit, now: now() })),
};
