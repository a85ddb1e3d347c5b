// The fields of Device that show its store transactions and entitlements.
import type { Pool } from 'pg';
import type { DeviceEntitlementsArgs, DeviceTransactionsArgs } from '../../generated/graphql.ts';
import type { SeenDevice } from '../devices/device.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import {
  entitlementsOfDevice,
  storeTransactionsOfDevice,
  type DeviceEntitlement,
  type DeviceTransaction,
} from './entitlementsStore.ts';

interface Needs {
  adminPool: Pool;
  budget: ResponseBudget;
  now(): Date;
}

/** As many transactions as one upload may hold, within the response budget. */
const page = { byDefault: 500, longest: 20_000 };

/** Both throw `validation_failed`. */
export const devicePurchases = {
  transactions(
    { key: deviceKey }: SeenDevice,
    args: Partial<DeviceTransactionsArgs>,
    { adminPool, budget }: Needs,
  ): Promise<DeviceTransaction[]> {
    const wanted = read(args);
    return withinBudget(budget, ({ limit }) =>
      storeTransactionsOfDevice(adminPool, { deviceKey, limit: Math.min(wanted, limit) }),
    );
  },
  entitlements(
    { key: deviceKey }: SeenDevice,
    args: Partial<DeviceEntitlementsArgs>,
    { adminPool, budget, now }: Needs,
  ): Promise<DeviceEntitlement[]> {
    const wanted = read(args);
    return withinBudget(budget, ({ limit }) =>
      entitlementsOfDevice(adminPool, { deviceKey, limit: Math.min(wanted, limit), now: now() }),
    );
  },
};

function read({ limit }: { limit?: number | null | undefined }): number {
  const rules = inputRules();
  const wanted = readLimit(rules, limit, page);
  rules.assert();
  return wanted;
}
