// The fields Device.sessions and DeviceSession.events, for the dashboard.
import type { Pool } from 'pg';
import type { DeviceSessionEventsArgs, DeviceSessionsArgs } from '../../../generated/graphql.ts';
import type { SeenDevice } from '../../devices/device.ts';
import { withinBudget, type AnswerBudget } from '../../platform/answerBudget.ts';
import { inputRules, readLimit, readOffset } from '../../platform/inputRules.ts';
import { countSessions, findSessions, type EventRecord, type SessionRecord } from './deviceSessionsStore.ts';
import type { EventLoaders } from './eventLoaders.ts';

const newestSessions = 20;
/** More than one response may hold beside the session: a longer list is refused, never cut short in silence. */
const mostEvents = 20_000;

export const deviceSessions = {
  sessionsCount: ({ key }: SeenDevice, _args: unknown, { adminPool }: { adminPool: Pool }): Promise<number> =>
    countSessions(adminPool, key),
  /** Throws `validation_failed`. */
  sessions(
    { key }: SeenDevice,
    args: Partial<DeviceSessionsArgs>,
    { adminPool, budget }: { adminPool: Pool; budget: AnswerBudget },
  ): Promise<SessionRecord[]> {
    const rules = inputRules();
    const limit = readLimit(rules, args.limit, { byDefault: newestSessions });
    rules.assert();
    return withinBudget(budget, (room) => findSessions(adminPool, { key, limit: Math.min(limit, room.limit) }));
  },
};

export const deviceSessionFields = {
  /** Throws `validation_failed`. */
  events(
    session: SessionRecord,
    args: Partial<DeviceSessionEventsArgs>,
    { loaders }: { loaders: EventLoaders },
  ): Promise<EventRecord[]> {
    const rules = inputRules();
    const limit = readLimit(rules, args.limit, { byDefault: mostEvents, longest: mostEvents });
    const offset = readOffset(rules, args.offset);
    rules.assert();
    return loaders.eventsOfDevice(session.deviceKey, { limit, offset }).load(session);
  },
};
