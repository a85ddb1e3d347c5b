// Device.attribution: the latest payload of each provider, with numbers as the device sent them.
import type { Pool } from 'pg';
import type { SeenDevice } from '../devices/device.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { RawJson } from '../platform/json/rawJson.ts';
import { latestAttribution } from './attributionStore.ts';

export const deviceAttribution = {
  async attribution(
    { key }: SeenDevice,
    _args: unknown,
    { adminPool, budget }: { adminPool: Pool; budget: AnswerBudget },
  ) {
    const latest = await withinBudget(
      budget,
      (room) => latestAttribution(adminPool, { deviceKey: key, bytes: room.bytes }),
      ({ bytes }) => bytes,
    );
    return latest.map(({ provider, payload, receivedAt }) => ({ provider, payload: new RawJson(payload), receivedAt }));
  },
};
