// The store transactions and entitlements of a Device, as the dashboard asks for them.
import type { Pool } from 'pg';
import type { SeenDevice } from '../devices/device.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from './entitlementsStore.ts';

interface Needs {
  pool: Pool;
  now(): Date;
}

export const devicePurchases = {
  transactions: ({ key }: SeenDevice, _args: unknown, { pool }: Needs) => storeTransactionsOfDevice(pool, key),
  entitlements: ({ key }: SeenDevice, _args: unknown, { pool, now }: Needs) => entitlementsOfDevice(pool, key, now()),
};
