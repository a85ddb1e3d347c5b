// Named tests of one read: what is stored, and the figures that every engine gives for it.
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import { createTestDatabase, type TestDatabase } from '../testDatabase.ts';
import type { Drawn, DrawnEvent, DrawnSession } from './drawn.ts';
import { openEngines, type TestEngine } from './engines.ts';
import { storeDrawn } from './storeDrawn.ts';

export const micros = (time: string): number => Date.parse(time) * 1_000;

export const customEvent = (name: string, time: string, params: DrawnEvent['params'] = {}): DrawnEvent => ({
  ...{ name, params, system: false, occurredAt: micros(time) },
});

/** A session of the device `d1` that has arrived a day after its start. */
export function sessionOf(events: DrawnEvent[], changed: Partial<DrawnSession> = {}): DrawnSession {
  const startedAt = events[0]!.occurredAt;
  const uploads = [{ arrivedAt: startedAt + 86_400_000_000, events }];
  return { ...{ device: 'd1', id: 's1', userId: null, startedAt, finishedAt: null, uploads }, ...changed };
}

/** Of one application; the other one has the same rows. */
export function drawnOf(sessions: DrawnSession[], timeZone = 'UTC'): Drawn {
  const ids = [...new Set(sessions.map(({ device }) => device))];
  const asked = {
    devices: ids.map((id) => ({ id, userId: null, properties: {}, userProperties: {}, test: false })),
    sessions,
  };
  return { asked, other: asked, timeZone, around: '2026-03-29', now: micros('2026-04-30T00:00:00Z') };
}

/** Registers what opens and closes the engines. The result runs a check on each of them. */
export function onEngines() {
  let database: TestDatabase;
  let engines: TestEngine[];
  beforeAll(async () => {
    database = await createTestDatabase();
    engines = openEngines(database);
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });
  return async (stored: Drawn, check: (engine: AnalyticsEngine, applicationId: string) => Promise<void>) => {
    const { applicationId } = await storeDrawn(database, stored);
    for (const { engine, follow } of engines) {
      await follow();
      await check(engine, applicationId);
    }
  };
}
