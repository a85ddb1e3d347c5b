// The attribution of a Device, as the dashboard asks for it: numbers are written as they came.
import type { Pool } from 'pg';
import type { SeenDevice } from '../devices/device.ts';
import { RawJson } from '../platform/rawJson.ts';
import { latestAttribution } from './attributionStore.ts';

export const deviceAttribution = {
  async attribution({ key }: SeenDevice, _args: unknown, { pool }: { pool: Pool }) {
    const latest = await latestAttribution(pool, key);
    return latest.map(({ payload, ...rest }) => ({ ...rest, payload: new RawJson(payload) }));
  },
};
