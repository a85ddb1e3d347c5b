// Converts a report to rows: every field of the wire in its column.
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import type { EventRow } from '../../src/sessions/upload.ts';
import { aDevice, anEvent, aReport, aSession, type SessionEvent, type SessionReport } from '../support/uploads.ts';

const origin = { applicationId: '0192f0c4-1111-7000-8000-000000000001', stateAt: 1_789_000_100 };
const rowsOf = (fields: Partial<SessionReport>) =>
  sessionRows(aReport({ device: aDevice('device-1'), ...fields }), origin);
const ofEvents = (...events: SessionEvent[]) => rowsOf({ sessions: [aSession({ id: 's', events })] });
const property = (name: string, value: unknown) => ({ name, value: value as string });
const removal = (key: string, fields: Partial<SessionEvent> = {}) =>
  anEvent({ type: 'system', name: 'CustomPropertyChanged', params: [property('key', key)], ...fields });

const asStored = (events: readonly EventRow[]) =>
  events.map((event) => ({ ...event, params: event.params.toString() }));

test('each field of a report stands in its column', () => {
  const event = anEvent({
    id: 'e',
    timestamp: 1_789_000_010.25,
    params: [property('level', 7), property('won', true)],
  });
  const session = aSession({ id: 's', finishDate: '2026-09-10T00:30:00.250Z', events: [event] });
  const rows = rowsOf({ user: { id: 'u', properties: [property('plan', 'pro')] }, sessions: [session] });
  const owner = { deviceKey: '0e34611a-8fd6-8586-86be-507422938d5e', applicationId: origin.applicationId };
  expect(rows.device).toMatchObject({
    key: owner.deviceKey,
    applicationId: origin.applicationId,
    id: 'device-1',
    userId: 'u',
    userProperties: '{"plan":"pro"}',
    droppedProperties: null,
    stateAt: 1_789_000_100,
  });
  expect(JSON.parse(rows.device.properties)).toEqual({
    ...aDevice().properties,
    adId: null,
    country: null,
  });
  expect(rows.sessions).toEqual([
    {
      ...{ ...owner, id: 's', globalNumber: 3, versionNumber: 2 },
      ...{ startedAt: 1_789_000_000, utcOffsetMinutes: 120, finishedAt: 1_789_000_200.25 },
      ...{ userId: 'u', userAt: 1_789_000_100 },
    },
  ]);
  expect(asStored(rows.events)).toEqual([
    {
      ...owner,
      sessionId: 's',
      id: 'e',
      system: false,
      name: 'LevelCompleted',
      occurredAt: 1_789_000_010.25,
      params: '{"level":7,"won":true}',
      outcomes: [],
      place: 0,
      removesProperty: null,
    },
  ]);
});

test('unknown fields are not stored', () => {
  const device = aDevice('device-1');
  Object.assign(device.properties, { batteryLevel: 0.5 });
  const param = Object.assign(property('level', 7), { later: 'secret' });
  const event = Object.assign(anEvent({ params: [param] }), { later: 'secret' });
  const rows = rowsOf({ device, sessions: [aSession({ events: [event] })] });
  expect(JSON.stringify({ ...rows, events: asStored(rows.events) })).not.toMatch(/batteryLevel|later|secret/);
  expect(asStored(rows.events).map(({ params }) => params)).toEqual(['{"level":7}']);
});

describe('entries of one session', () => {
  test('keep all their events, and count an id once, the first write winning', () => {
    const first = aSession({ id: 's', events: [anEvent({ id: 'a' }), anEvent({ id: 'a', name: 'Second' })] });
    const second = aSession({
      id: 's',
      finishDate: '2026-09-10T01:00:00Z',
      number: { global: 1, version: 9 },
      events: [anEvent({ id: 'b' }), anEvent({ id: 'a', name: 'Third' })],
    });
    const rows = rowsOf({ sessions: [first, aSession({ id: 't', events: [anEvent({ id: 'a' })] }), second] });
    expect(rows.sessions).toMatchObject([
      { id: 's', globalNumber: 3, versionNumber: 2, finishedAt: null },
      { id: 't', finishedAt: null },
      { id: 's', globalNumber: 1, versionNumber: 9, finishedAt: 1_789_002_000 },
    ]);
    expect(rows.events.map(({ sessionId, id, name }) => [sessionId, id, name])).toEqual([
      ['s', 'a', 'LevelCompleted'],
      ['t', 'a', 'LevelCompleted'],
      ['s', 'b', 'LevelCompleted'],
    ]);
  });

  test('may have no events at all', () => {
    const session = aSession({ id: 's' });
    delete session.events;
    expect(rowsOf({ sessions: [session] }).events).toEqual([]);
  });
});

describe('the user', () => {
  test.each<[string, SessionReport['user'], { dropped: string[] | null; set: string }]>([
    ['without properties drops nothing', {}, { dropped: [], set: '{}' }],
    ['with an empty set drops everything', { properties: [] }, { dropped: null, set: '{}' }],
    [
      'with a set and lastSyncTS null drops everything else',
      { lastSyncTS: null, properties: [property('a', 1)] },
      { dropped: null, set: '{"a":1}' },
    ],
    ['with a delta drops nothing', { lastSyncTS: 5, properties: [property('a', 1)] }, { dropped: [], set: '{"a":1}' }],
    ['with lastSyncTS 0 sends a delta too', { lastSyncTS: 0, properties: [] }, { dropped: [], set: '{}' }],
    ['with lastSyncTS and no properties sets nothing', { lastSyncTS: null }, { dropped: [], set: '{}' }],
  ])('%s', (_, user, { dropped, set }) => {
    expect(rowsOf({ user }).device).toMatchObject({ droppedProperties: dropped, userProperties: set });
  });

  test('without an id is nobody, and with an empty one somebody', () => {
    expect(rowsOf({ user: {} }).device.userId).toBeNull();
    expect(rowsOf({ user: { id: null } }).device.userId).toBeNull();
    expect(rowsOf({ user: { id: '' } }).device.userId).toBe('');
  });
});

describe('a removed property', () => {
  const removals = (report: Partial<SessionReport>) =>
    rowsOf(report).events.flatMap(({ removesProperty }) => removesProperty ?? []);

  test('is noted on its event', () => {
    expect(ofEvents(removal('a'), removal('b')).events.map((event) => event.removesProperty)).toEqual(['a', 'b']);
  });
  test('is noted whatever else the upload says: the property it sets is written after the removal', () => {
    const user = { lastSyncTS: 1, properties: [property('a', 1)] };
    const setAgain = removal('a', {
      params: [property('key', 'a'), property('newValue', 2)],
      timestamp: 2_000_000_000,
    });
    expect(removals({ user, sessions: [aSession({ events: [removal('a'), setAgain, removal('b')] })] })).toEqual([
      'a',
      'b',
    ]);
  });
  test('is not noted for a custom event of that name, nor for a change', () => {
    const changed = removal('a', { params: [property('key', 'a'), property('newValue', 2)] });
    expect(removals({ sessions: [aSession({ events: [removal('a', { type: 'custom' }), changed] })] })).toEqual([]);
  });
});

test('system events carry their outcomes, custom events never', () => {
  const campaignId = '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10';
  const shown = { name: 'CampaignShown', params: [property('campaignId', campaignId)] };
  const rows = ofEvents(anEvent({ ...shown, type: 'system' }), anEvent({ ...shown, type: 'custom' }));
  expect(rows.events.map(({ outcomes }) => outcomes)).toEqual([[{ campaignId, outcome: 'shown' }], []]);
});
