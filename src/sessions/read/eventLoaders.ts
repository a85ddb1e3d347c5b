// Loads the events of all sessions of a device in one statement.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { AnswerBudget, Room } from '../../platform/answerBudget.ts';
import { costOfLists, type Batch } from '../../platform/batch.ts';
import { findEvents, type EventPage, type EventRecord, type SessionRecord } from './deviceSessionsStore.ts';

type EventsOfSession = Batch<SessionRecord, EventRecord[]>;

export interface EventLoaders {
  /** `page` applies to each session. An alias may ask for another device, or for another page of the same device. */
  eventsOfDevice(deviceKey: string, page: EventPage): EventsOfSession;
}

export function createEventLoaders(adminPool: Pool, budget: AnswerBudget): EventLoaders {
  const loaders = new Map<string, EventsOfSession>();
  const create = (deviceKey: string, page: EventPage): EventsOfSession => {
    const fetch = async (wanted: readonly SessionRecord[], room: Room) => {
      const sessions = new Map(wanted.map((session) => [session.ref, { ...session, events: [] as EventRecord[] }]));
      const found = await findEvents(adminPool, { deviceKey, sessions: [...sessions.values()], page, ...room });
      for (const event of found) sessions.get(event.sessionRef)?.events.push(event);
      return wanted.map(({ ref }) => sessions.get(ref)!.events);
    };
    const costOf = (lists: readonly EventRecord[][]) => costOfLists(lists, ({ bytes }) => bytes);
    return new DataLoader((wanted) => budget.read((room) => fetch(wanted, room), costOf), { cache: false });
  };
  return {
    eventsOfDevice(deviceKey, page) {
      const key = `${deviceKey} ${page.limit} ${page.offset}`;
      const loader = loaders.get(key) ?? create(deviceKey, page);
      loaders.set(key, loader);
      return loader;
    },
  };
}
