// What the drawn sessions of the lists never have: names that retention has left, long ids in cursors, and letters beyond ASCII.
import { readCursor, writeCursor } from '../../src/analytics/pageCursor.ts';
import { deviceCursor } from '../../src/analytics/reads/deviceList.ts';
import { readDevices } from '../../src/analytics/reads/devicesRead.ts';
import { readEventNames } from '../../src/analytics/reads/eventNamesRead.ts';
import { readRecentEvents, recentEventsCursor } from '../../src/analytics/reads/recentEventsRead.ts';
import type { Drawn } from '../support/analytics/drawn.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const long = '\u{1f600}'.repeat(256);
const ids = [long, `${long.slice(2)}x`, 'ΣΟΦΟΣ', 'İ'];
const arrivedAt = Date.parse('2026-03-04T10:00:00Z') * 1_000;
const event = { name: 'A', system: false, occurredAt: arrivedAt, params: { p: 'x'.repeat(1_000) } };
const asked = {
  devices: ids.map((id) => ({ id, userId: null, properties: {}, userProperties: {}, test: false })),
  sessions: ids.map((device) => ({
    ...{ device, id: long, userId: null, startedAt: arrivedAt, finishedAt: null },
    uploads: [{ arrivedAt, events: [event] }],
  })),
};
const about: Drawn = { asked, other: asked, timeZone: 'UTC', around: '2026-03-04', now: arrivedAt };
const now = new Date('2026-03-05T00:00:00Z');

let database: TestDatabase;
let engines: TestEngine[];
let base: { applicationId: string; includeTest: false; limit: number; after: null };
/** After the application was made. */
const removedAt = new Date('2012-03-04T05:06:07Z');

beforeAll(async () => {
  database = await createTestDatabase();
  const { applicationId } = await storeDrawn(database, about);
  base = { applicationId, includeTest: false, limit: 1, after: null };
  await database.pool.query(
    `INSERT INTO analytics_firsts (application_id, kind, unit, name, system, at)
     SELECT application_id, 'D', key::text, 'Removed', false, $2::bigint + length(id) FROM devices WHERE application_id = $1`,
    [applicationId, removedAt.getTime() * 1_000],
  );
  engines = openEngines(database);
  for (const { follow } of engines) await follow();
});
afterAll(async () => {
  for (const { engine } of engines) await engine.close();
  await database.drop();
});

const everywhere = { userId: null, search: null, filters: [], activeSince: null, sort: 'LAST_SEEN' } as const;

test('a cursor of long ids is read back', async () => {
  for (const { engine } of engines) {
    const { endCursor } = await readDevices(engine, { ...base, ...everywhere, limit: 4 });
    expect(readCursor(endCursor!, deviceCursor('devices'))).not.toBeNull();
    const events = await readRecentEvents(engine, { ...base, filters: [] }, 100_000);
    const after = readCursor(events.endCursor!, recentEventsCursor);
    const { nodes } = await readRecentEvents(engine, { ...base, filters: [], limit: 5, after }, 100_000);
    expect(nodes).toHaveLength(3);
  }
});

test('a cursor has numbers where a column is one', () => {
  const shape = deviceCursor('devices');
  const list = 'devices LAST_SEEN';
  expect(readCursor(writeCursor([list, '1', 'd']), shape)).toEqual([list, '1', 'd']);
  for (const parts of [['x', 'd'], ['1'.repeat(19), 'd'], ['1', 'a\0'], ['1']]) {
    expect(readCursor(writeCursor([list, ...parts]), shape)).toBeNull();
  }
});

test('a number of events to skip is not negative', () => {
  const parts = ['-1', '-1', '1', 's', 'd', '-1'];
  expect(readCursor(writeCursor([...parts, '2']), recentEventsCursor)).not.toBeNull();
  for (const count of ['-1', '1'.repeat(10), '']) {
    expect(readCursor(writeCursor([...parts, count]), recentEventsCursor)).toBeNull();
  }
});

test('a cursor of one list, or of one sort, is none of another', () => {
  const cursor = writeCursor(['devices SESSIONS', '1', 'd']);
  expect(readCursor(cursor, deviceCursor('devices', 'SESSIONS'))).not.toBeNull();
  expect(readCursor(cursor, deviceCursor('devices', 'LAST_SEEN'))).toBeNull();
  expect(readCursor(writeCursor(['devices LAST_SEEN', '1', 'd']), deviceCursor('userDevices'))).toBeNull();
});

test('an event that retention has removed keeps its name, with the first time of all devices', async () => {
  for (const { name: on, engine } of engines) {
    const names = { ...base, limit: 5, search: 'REMOVED'.toLowerCase(), newest: 1_000, now };
    const { nodes } = await readEventNames(engine, names);
    const seen = { firstSeenAt: removedAt, lastSeenAt: removedAt };
    const left = { name: 'Removed', system: false, ...seen, count30Days: 0, params: [] };
    expect({ on, nodes }).toEqual({ on, nodes: [left] });
  }
});

test('texts of more than 256 characters are cut in examples', async () => {
  for (const { engine } of engines) {
    const { nodes } = await readEventNames(engine, { ...base, search: null, newest: 1_000, now });
    expect(nodes[0]!.params[0]!.examples).toEqual(['x'.repeat(256)]);
  }
});

test('parameters without room are not sent', async () => {
  for (const { engine } of engines) {
    const { nodes } = await readRecentEvents(engine, { ...base, filters: [] }, 500);
    expect(nodes[0]!.params).toBeNull();
  }
});

test('a search finds letters beyond ASCII in lower case', async () => {
  for (const { name: on, engine } of engines) {
    for (const [search, id] of [
      ['ΦΟΣ', 'ΣΟΦΟΣ'],
      ['İ', 'İ'],
    ] as const) {
      const found = await readDevices(engine, { ...base, ...everywhere, search: search.toLowerCase() });
      expect({ on, search, ids: found.nodes.map((node) => node.id) }).toEqual({ on, search, ids: [id] });
    }
  }
});
