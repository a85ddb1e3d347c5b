// The attribution of a Device, as the dashboard asks for it: numbers are written as they came.
import type { Pool } from 'pg';
import type { SeenDevice } from '../devices/device.ts';
import { RawJson } from '../platform/rawJson.ts';
import { withinBudget, type RowBudget } from '../platform/rowBudget.ts';
import { latestAttribution } from './attributionStore.ts';

export const deviceAttribution = {
  async attribution({ key }: SeenDevice, _args: unknown, { pool, budget }: { pool: Pool; budget: RowBudget }) {
    const latest = await withinBudget(budget, () => latestAttribution(pool, key));
    return latest.map(({ payload, ...rest }) => ({ ...rest, payload: new RawJson(payload) }));
  },
};
