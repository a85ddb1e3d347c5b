// The events of many sessions in one statement.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { Batch } from '../platform/batch.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { findEvents, type EventRecord, type SessionRecord } from './deviceSessionsStore.ts';

export interface EventLoaders {
  eventsOfSession: Batch<SessionRecord, EventRecord[]>;
}

export function createEventLoaders(pool: Pool, budget: AnswerBudget): EventLoaders {
  const fetch = async (sessions: readonly SessionRecord[]) => {
    const events = new Map<string, EventRecord[]>(sessions.map(({ ref }) => [ref, []]));
    const found = await withinBudget(
      budget,
      (room) => findEvents(pool, { sessions, ...room }),
      ({ bytes }) => bytes,
    );
    for (const event of found) events.get(event.sessionRef)?.push(event);
    return sessions.map(({ ref }) => events.get(ref)!);
  };
  return { eventsOfSession: new DataLoader(fetch, { cache: false }) };
}
