// The fields below Device and DeviceSession that are rows of their own.
import type { Pool } from 'pg';
import type { DeviceSessionsArgs } from '../../generated/graphql.ts';
import { latestAttribution } from '../attribution/attributionStore.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { RawJson } from '../platform/rawJson.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from '../purchases/entitlementsStore.ts';
import type { DeviceLoaders } from './deviceLoaders.ts';
import { countSessions, findSessions, type DeviceRecord, type EventRecord, type SessionRecord } from './deviceStore.ts';

export interface ShownDevice extends DeviceRecord {
  id: string;
  key: string;
}

interface Database {
  pool: Pool;
}

const newestSessions = 20;

export const deviceFields = {
  sessionsCount: ({ key }: ShownDevice, _args: unknown, { pool }: Database): Promise<number> =>
    countSessions(pool, key),
  /** Throws `validation_failed`. */
  sessions({ key }: ShownDevice, args: Partial<DeviceSessionsArgs>, { pool }: Database): Promise<SessionRecord[]> {
    const rules = inputRules();
    const limit = readLimit(rules, args.limit, newestSessions);
    rules.assert();
    return findSessions(pool, { key, limit });
  },
  async attribution({ key }: ShownDevice, _args: unknown, { pool }: Database) {
    const latest = await latestAttribution(pool, key);
    return latest.map(({ payload, ...rest }) => ({ ...rest, payload: new RawJson(payload) }));
  },
  transactions: ({ key }: ShownDevice, _args: unknown, { pool }: Database) => storeTransactionsOfDevice(pool, key),
  entitlements: ({ key }: ShownDevice, _args: unknown, { pool, now }: Database & { now(): Date }) =>
    entitlementsOfDevice(pool, key, now()),
};

export const deviceSessionFields = {
  events: (session: SessionRecord, _args: unknown, { loaders }: { loaders: DeviceLoaders }): Promise<EventRecord[]> =>
    loaders.eventsOfSession.load(session),
};
