// Converts a report to rows: every field of the wire in its column.
import { randomInt, randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { suspectShows } from '../../src/campaigns/closeDaysOfShows.ts';
import { BinaryRows } from '../../src/platform/database/sql.ts';
import type { PipelinedTransaction } from '../../src/platform/database/transaction.ts';
import { RawJson } from '../../src/platform/json/jsonBytes.ts';
import {
  campaignOutcomes,
  eventKey,
  type EventRow,
  looksUpParams,
  mergeSessions,
  packId,
  type Property,
  propertyJson,
  propertyMap,
  type PropertyValue,
  PropertyWriter,
  removedProperty,
  sessionKey,
  type SessionRow,
  sessionRows,
  unpackId,
} from '../../src/sessions/upload.ts';
import {
  countIncrements,
  createFastPathPredictor,
  createSessionNumbers,
  type DrawNumbers,
  shownCampaigns,
  storeNewUploads,
  storeUploads,
} from '../../src/sessions/writer/storeBatch.ts';
import type { SessionAnchor } from '../../src/sessions/writer/uploadsStore.ts';
import { aDevice, anEvent, aReport, aSession, type SessionEvent, type SessionReport } from '../support/uploads.ts';

describe('sessionRows', () => {
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
      [
        'with a delta drops nothing',
        { lastSyncTS: 5, properties: [property('a', 1)] },
        { dropped: [], set: '{"a":1}' },
      ],
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
});

// Merging entries of one session: the result must not depend on their order.
describe('upload', () => {
  const receivedAt = 1_000;

  const row = (fields: Partial<SessionRow>): SessionRow => ({
    deviceKey: 'd',
    applicationId: 'a',
    id: 's',
    globalNumber: 3,
    versionNumber: 2,
    startedAt: 100,
    utcOffsetMinutes: 60,
    finishedAt: null,
    userId: null,
    userAt: 0,
    ...fields,
  });

  type Fields = Partial<SessionRow>;

  test.each<[string, [Fields, Fields], Fields]>([
    ['null then a value', [{}, { finishedAt: 200 }], { finishedAt: 200 }],
    ['two ends', [{ finishedAt: 200 }, { finishedAt: 150 }], { finishedAt: 200 }],
    ['an end before 1970', [{ finishedAt: -5 }, { finishedAt: null }], { finishedAt: -5 }],
    ['an end at 0', [{ finishedAt: 0 }, {}], { finishedAt: 0 }],
    ['no end', [{}, {}], { finishedAt: null }],
    ['two starts', [{ startedAt: 100 }, { startedAt: 99.5 }], { startedAt: 99.5 }],
    ['a start in the far future', [{ startedAt: 2_000 }, { startedAt: 900 }], { startedAt: 900 }],
    ['a start in 1970', [{ startedAt: -1e9 }, { startedAt: 900 }], { startedAt: 900 }],
    ['two starts in 1970', [{ startedAt: -1e9 }, { startedAt: -2e9 }], { startedAt: -2e9 }],
    ['an end in the far future', [{ finishedAt: 9_000 }, { finishedAt: 200 }], { finishedAt: 200 }],
    ['two ends in the far future', [{ finishedAt: 9_000 }, { finishedAt: 8_000 }], { finishedAt: 9_000 }],
    ['an end in 1970', [{ finishedAt: -1e9 }, { finishedAt: 200 }], { finishedAt: 200 }],
    ['dates five minutes ahead', [{ finishedAt: 1_300 }, { finishedAt: 1_301 }], { finishedAt: 1_300 }],
    [
      'offsets of two starts',
      [
        { startedAt: 90, utcOffsetMinutes: 0 },
        { startedAt: 95, utcOffsetMinutes: -60 },
      ],
      { startedAt: 90, utcOffsetMinutes: 0 },
    ],
    ['offsets of one start', [{ utcOffsetMinutes: 60 }, { utcOffsetMinutes: -60 }], { utcOffsetMinutes: -60 }],
    [
      'users',
      [
        { userId: 'a', userAt: 2 },
        { userId: null, userAt: 1 },
      ],
      { userId: 'a', userAt: 2 },
    ],
    ['numbers', [{ globalNumber: 5, versionNumber: 1 }, {}], { globalNumber: 3, versionNumber: 1 }],
  ])('%s merge alike in both orders', (_, [one, other], merged) => {
    expect(mergeSessions(row(one), row(other), receivedAt)).toEqual(row(merged));
    expect(mergeSessions(row(other), row(one), receivedAt)).toEqual(row(merged));
  });

  test('of users of one time, the one that arrives later holds', () => {
    expect(mergeSessions(row({ userId: 'a' }), row({ userId: 'b' }), receivedAt).userId).toBe('b');
  });

  test('any number of entries merge to one result in every order', () => {
    const date = fc.constantFrom(-2e9, -1e9, 0, 90, 100, 1_300, 1_301, 5_000);
    const entry = fc.record({
      globalNumber: fc.nat(9),
      versionNumber: fc.nat(9),
      startedAt: date,
      utcOffsetMinutes: fc.constantFrom(-60, 0, 60),
      finishedAt: fc.option(date),
    });
    const entries = fc
      .array(entry, { minLength: 1, maxLength: 6 })
      .map((all) => all.map((fields, at) => row({ ...fields, userId: `user-${at}`, userAt: at })));
    const shuffled = entries.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    const merge = (all: SessionRow[]) => all.reduce((one, other) => mergeSessions(one, other, receivedAt));
    fc.assert(fc.property(shuffled, ([all, other]) => expect(merge(other)).toEqual(merge(all))));
  });

  test('keys of sessions and events never meet, however their parts are cut', () => {
    expect(sessionKey({ deviceKey: 'd' }, 'ab')).not.toBe(sessionKey({ deviceKey: 'da' }, 'b'));
    const event = (sessionId: string, id: string) => eventKey({ deviceKey: 'd', sessionId, id } as EventRow);
    expect(new Set([event('a', 'bc'), event('ab', 'c'), event('abc', ''), event('', 'abc')]).size).toBe(4);
  });
});

// The packed form of ids: it loses nothing, never makes two ids equal, and is short for the ids that SDKs generate.
describe('packedId', () => {
  const uuid = '0192f0c4-9a5e-7abc-8def-00c0ffee00ff';

  function pick<Item>(items: readonly Item[]): Item {
    return items[randomInt(items.length)]!;
  }

  /** Ids close to packed ones: other letter cases, other dashes, one digit more or less, the tags as text. */
  function randomId(): string {
    const id = randomUUID();
    const chars = [...'0aAfFgG-\u0000\u0001\u0002 éß\u0131\u212a🚀'];
    return pick([
      () => id,
      () => id.toUpperCase(),
      () => [...id].map((char) => (randomInt(2) ? char.toUpperCase() : char)).join(''),
      () => id.replaceAll('-', ''),
      () => `{${id}}`,
      () => id.slice(0, randomInt(37)),
      () => `${id}${pick(chars)}`,
      () => id.replace(id[randomInt(36)]!, pick(chars)),
      () => Array.from({ length: randomInt(1, 40) }, () => pick(chars)).join(''),
    ])();
  }

  test('any id comes back as it was, and distinct ids stay distinct', () => {
    const packed = new Map<string, string>();
    for (let i = 0; i < 20_000; i++) {
      const id = randomId();
      const bytes = packId(id);
      expect(unpackId(bytes)).toBe(id);
      const known = packed.get(bytes.toString('hex'));
      if (known !== undefined) expect(known).toBe(id);
      packed.set(bytes.toString('hex'), id);
    }
    expect(packed.size).toBeGreaterThan(10_000);
  });

  test('the spellings of one UUID are different ids', () => {
    const spellings = [uuid, uuid.toUpperCase(), uuid.replace('abc', 'ABC'), uuid.replaceAll('-', ''), `{${uuid}}`];
    const packed = spellings.map((id) => packId(id).toString('hex'));
    expect(new Set(packed).size).toBe(spellings.length);
  });

  test('the bytes of a packed UUID, read as the text of an id, are another id', () => {
    const text = packId(uuid).toString('latin1');
    expect(packId(text).equals(packId(uuid))).toBe(false);
    expect(unpackId(packId(text))).toBe(text);
  });

  test.each([
    ['a lower-case UUID', uuid, `01${uuid.replaceAll('-', '')}`],
    ['an upper-case UUID', uuid.toUpperCase(), `02${uuid.replaceAll('-', '')}`],
    ['a UUID of digits only', '00000000-0000-0000-0000-000000000000', `01${'0'.repeat(32)}`],
    ['a short text', 'e-01', '00652d3031'],
    ['a text of 36 characters', 'x'.repeat(36), `00${'78'.repeat(36)}`],
    ['text beyond ASCII', 'é', '00c3a9'],
  ])('%s is stored in the bytes that are stored already', (_, id, hex) => {
    expect(packId(id).toString('hex')).toBe(hex);
  });

  test('a view into a larger buffer, as a driver may hand it out, is unpacked from its own bytes', () => {
    const large = Buffer.concat([Buffer.alloc(7, 1), packId(uuid), Buffer.alloc(7, 1)]);
    expect(unpackId(new Uint8Array(large.buffer, large.byteOffset + 7, 17))).toBe(uuid);
  });
});

// System events in the service: counts per campaign, and properties that are removed.
describe('systemEvents', () => {
  const campaignId = '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10';
  const params = (object: Record<string, PropertyValue>) => new Map(Object.entries(object));
  const outcomesOf = (name: string, object: Record<string, PropertyValue>) =>
    campaignOutcomes(name, params(object)).map(({ outcome }) => outcome);

  describe('campaign outcomes', () => {
    test('of CampaignShown are one, under the id in lower case', () => {
      const outcomes = campaignOutcomes('CampaignShown', params({ campaignId: campaignId.toUpperCase(), source: 'X' }));
      expect(outcomes).toEqual([{ campaignId, outcome: 'shown' }]);
    });

    test.each(['Completed', 'Dismissed', 'SkippedNoPresenter', 'SkippedNoContinuation'])(
      'of CampaignResolved with %s are one, whatever reason stands beside it',
      (result) => {
        expect(outcomesOf('CampaignResolved', { campaignId, result })).toEqual([`resolved:${result}`]);
        expect(outcomesOf('CampaignResolved', { campaignId, result, unavailableReason: 'TimedOut' })).toEqual([
          `resolved:${result}`,
        ]);
      },
    );

    test.each(['TimedOut', 'PresenterFailed', 'PresenterReported'])('of Unavailable with %s are two', (reason) => {
      const given = { campaignId, result: 'Unavailable', unavailableReason: reason };
      expect(outcomesOf('CampaignResolved', given)).toEqual(['resolved:Unavailable', `unavailable:${reason}`]);
    });

    test.each<[string, Record<string, PropertyValue>]>([
      ['without a reason', { campaignId, result: 'Unavailable' }],
      ['with an unknown reason', { campaignId, result: 'Unavailable', unavailableReason: 'timedOut' }],
      ['with a reason that is no text', { campaignId, result: 'Unavailable', unavailableReason: 1 }],
    ])('of Unavailable %s are only the result', (_, given) => {
      expect(outcomesOf('CampaignResolved', given)).toEqual(['resolved:Unavailable']);
    });

    test.each<[string, string, Record<string, PropertyValue>]>([
      ['an unknown result', 'CampaignResolved', { campaignId, result: 'completed' }],
      ['no result', 'CampaignResolved', { campaignId }],
      ['a result that is no text', 'CampaignResolved', { campaignId, result: true }],
      ['no campaign', 'CampaignShown', { source: 'X' }],
      ['a campaign id that is no UUID', 'CampaignShown', { campaignId: `${campaignId}0` }],
      ['a campaign id that is a number', 'CampaignShown', { campaignId: 5n }],
      ['another event', 'EventTriggered', { campaignId, result: 'Completed' }],
      ['an event in other letters', 'campaignShown', { campaignId }],
    ])('are none for %s', (_, name, given) => {
      expect(outcomesOf(name, given)).toEqual([]);
    });
  });

  test.each(['CampaignShown', 'CampaignResolved', 'CustomPropertyChanged', 'EventTriggered', 'SessionStarted'])(
    'whatever %s makes of its parameters, it is said to look them up',
    (name) => {
      const all = { campaignId, result: 'Completed', key: 'plan' };
      const makesSomething = outcomesOf(name, all).length > 0 || removedProperty(name, params(all)) !== null;
      expect(looksUpParams(name)).toBe(makesSomething);
    },
  );

  describe('a removed property', () => {
    test('is the one named, when newValue is absent, whatever its value was', () => {
      expect(removedProperty('CustomPropertyChanged', params({ key: 'plan', oldValue: 'pro' }))).toBe('plan');
      for (const newValue of ['', 0, false, 7n]) {
        expect(removedProperty('CustomPropertyChanged', params({ key: 'plan', newValue }))).toBeNull();
      }
    });
    test('may have any name, and needs one', () => {
      expect(removedProperty('CustomPropertyChanged', params({ key: '' }))).toBe('');
      expect(removedProperty('CustomPropertyChanged', params({ key: 5 }))).toBeNull();
      expect(removedProperty('CustomPropertyChanged', params({}))).toBeNull();
      expect(removedProperty('SomethingElse', params({ key: 'plan' }))).toBeNull();
    });
  });
});

// The guess that a batch is new: kept while it is right, and made less often the longer it is wrong.
describe('fastPathPredictor', () => {
  /** The batches that the guess expected to be new; `isNew` gives each batch's outcome. */
  function expected(batches: number, isNew: (batch: number) => boolean): number[] {
    const guess = createFastPathPredictor();
    return Array.from({ length: batches }, (_, batch) => batch).filter((batch) => {
      const expects = guess.expectsNew();
      if (expects) guess.learn(isNew(batch));
      return expects;
    });
  }

  test('all batches are, while they turn out new', () => {
    expect(expected(100, () => true)).toHaveLength(100);
  });

  test('where none is new, one in sixty-five is in the end', () => {
    const guesses = expected(1_000, () => false);
    expect(guesses.slice(0, 8)).toEqual([0, 2, 5, 10, 19, 36, 69, 134]);
    expect(guesses.slice(6).every((batch, index, all) => index === 0 || batch - all[index - 1]! === 65)).toBe(true);
  });

  test('one that is new ends the pause for all that follow', () => {
    const guesses = expected(100, (batch) => batch >= 20);
    expect(guesses.filter((batch) => batch > 36)).toHaveLength(63);
  });
});

// Numbers for new sessions: each is given once and in order, with the database's time.
describe('sessionNumbers', () => {
  const now = 1_789_000_000;

  function sequence() {
    const draws: number[] = [];
    let last = 0;
    const draw = async (count: number) => {
      draws.push(count);
      const first = last + 1;
      last += count;
      return { numbers: Array.from({ length: count }, (_, index) => first + index), now };
    };
    return { draws, draw };
  }

  function takingFrom(draw: DrawNumbers) {
    const take = createSessionNumbers();
    return (count: number) => take(count, draw);
  }

  afterEach(() => jest.useRealTimers());

  test('each number is given once and in order, and many are drawn at a time', async () => {
    const { draws, draw } = sequence();
    const take = takingFrom(draw);
    const given: number[] = [];
    for (let batch = 0; batch < 200; batch++) given.push(...(await take(batch % 60)).refs);
    expect(given).toEqual(given.toSorted((a, b) => a - b));
    expect(new Set(given).size).toBe(given.length);
    expect(draws.length).toBe(Math.ceil(given.length / 4_096));
  });

  test('batches that ask side by side get different numbers', async () => {
    const take = takingFrom(sequence().draw);
    const given = (await Promise.all([take(3), take(3), take(3)])).flatMap(({ refs }) => refs);
    expect(new Set(given).size).toBe(9);
  });

  test('a batch of more sessions than are drawn at a time gets them all', async () => {
    const take = takingFrom(sequence().draw);
    await take(1);
    expect((await take(10_000)).refs).toHaveLength(10_000);
  });

  test('the time is that of the draw and what has passed since, and is asked again after a minute', async () => {
    jest.useFakeTimers({ now: 0 });
    const { draws, draw } = sequence();
    const take = takingFrom(draw);
    expect((await take(1)).receivedAt).toBeCloseTo(now, 3);
    jest.advanceTimersByTime(59_000);
    expect((await take(1)).receivedAt).toBeCloseTo(now + 59, 3);
    jest.advanceTimersByTime(2_000);
    expect((await take(1)).receivedAt).toBeCloseTo(now, 3);
    expect(draws).toHaveLength(2);
  });

  test('a draw that failed is made again', async () => {
    const { draw } = sequence();
    let failing = true;
    const take = takingFrom((count) => (failing ? Promise.reject(new Error('away')) : draw(count)));
    await expect(take(1)).rejects.toThrow('away');
    failing = false;
    expect((await take(1)).refs).toEqual([1]);
  });
});

// Shows are summed by campaign and device, and only where a batch has any.
describe('shownCampaigns', () => {
  function anEvent(deviceKey: string, sessionId: string, outcomes: EventRow['outcomes']): EventRow {
    const params = new RawJson('{}') as unknown as EventRow['params'];
    const event = {
      applicationId: 'a',
      id: 'e',
      place: 0,
      system: true,
      name: 'n',
      occurredAt: 0,
      removesProperty: null,
    };
    return { ...event, deviceKey, sessionId, outcomes, params };
  }

  const shown = (campaignId: string): EventRow['outcomes'][number] => ({ campaignId, outcome: 'shown' });
  const anchor = (anchoredOn: string): SessionAnchor => ({
    ...{ ref: '1', receivedAt: 0, isNew: true, isOpen: true },
    anchoredOn,
  });
  const anchors = new Map([
    ['d1\0s1', anchor('2026-01-02')],
    ['d1\0s2', anchor('2026-01-01')],
    ['d2\0s1', anchor('2026-01-02')],
  ]);

  test('by campaign and device, in their order, with the first day of the sessions', () => {
    const events = [
      anEvent('d2', 's1', [shown('c2')]),
      anEvent('d1', 's1', [shown('c1')]),
      anEvent('d1', 's1', [{ campaignId: 'c1', outcome: 'resolved:Completed' }]),
      anEvent('d1', 's2', [shown('c1')]),
      anEvent('d1', 's1', [shown('c1'), shown('c2')]),
    ];
    const rows = [
      ['c1', 'd1', 3, '2026-01-01'],
      ['c2', 'd1', 1, '2026-01-02'],
      ['c2', 'd2', 1, '2026-01-02'],
    ];
    const found = shownCampaigns(events, countIncrements(events), anchors);
    const columns = found.map(({ campaignId, deviceKey, shows, anchoredOn }) => [
      campaignId,
      deviceKey,
      shows,
      anchoredOn,
    ]);
    expect(columns).toEqual(rows);
  });

  test('without a show no event is looked at', () => {
    const unseen = new Proxy<EventRow[]>([], {
      get() {
        throw new Error('for this test');
      },
    });
    expect(shownCampaigns(unseen, [], anchors)).toEqual([]);
    const increment = { campaignId: 'c1', applicationId: 'a', outcome: 'resolved:Completed', count: 1 };
    expect(shownCampaigns(unseen, [increment], anchors)).toEqual([]);
  });

  test.each<[number | null, number | null, boolean, number, number]>([
    [null, 1, false, 1, 9],
    [null, 1, true, 1, 8],
    [3, null, false, 1, 7],
    [3, 1, false, 2, 8],
    [3, 1, false, 100, 7],
    [100, 100, false, 1, 0],
    [null, 5, false, 0, 10],
  ])('of ten shows with the caps %j and %j a session (another day: %j), %i sessions: %i', (...given) => {
    const [most, perSession, continued, sessions, suspect] = given;
    expect(suspectShows({ shows: 10, most, perSession, continued }, sessions)).toBe(suspect);
  });
});

// The statements of a batch's transaction: rows in order, and no COMMIT unless all rows are built.
describe('storeUploads', () => {
  const applicationId = '0192f0c4-1111-7000-8000-000000000001';

  function uploadOfOneSession() {
    const report = aReport({ user: { properties: [] }, sessions: [aSession({ events: [] })] });
    const nonce = { nonce: randomUUID(), applicationId, bodyHash: Buffer.alloc(32) };
    return { ...sessionRows(report, { applicationId, stateAt: 1_789_000_000 }), nonce };
  }

  const transactionOf = (pipelines: Pick<PipelinedTransaction, 'pipelined' | 'pipelinedToCommit'>) =>
    ({ ...pipelines, rollBack: () => Promise.resolve() }) as unknown as PipelinedTransaction;

  const takeNumbers = async (count: number) => ({
    refs: Array.from({ length: count }, (_, index) => index + 1),
    receivedAt: 1_789_000_000,
  });

  test.each([
    ['storeUploads', storeUploads],
    ['storeNewUploads', (transaction, uploads) => storeNewUploads(transaction, uploads, takeNumbers)],
  ] satisfies [string, (...given: Parameters<typeof storeUploads>) => Promise<unknown>][])(
    '%s asks for no COMMIT where a row cannot be written',
    async (_, store) => {
      const commits: unknown[] = [];
      const query = () => Promise.resolve({ rows: [anchorRow], rowCount: 1 });
      const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
      const pipelinedToCommit = ((work) => (commits.push(work), pipelined(work))) as typeof pipelined;
      const transaction = transactionOf({ pipelined, pipelinedToCommit });
      const { device, sessions, events } = sessionRows(aReport(), { applicationId, stateAt: 1_789_000_000 });
      const anchorRow = {
        device_key: device.key,
        id: sessions[0]!.id,
        ref: '1',
        received_at: 1_789_000_000,
        anchored_on: '2026-11-24',
        is_new: true,
      };
      // No upload can contain this time: it does not pass the contract.
      const broken = events.map((event) => ({ ...event, occurredAt: NaN }));
      const upload = { device, sessions, events: broken, nonce: null };
      await expect(store(transaction, [upload])).rejects.toThrow(RangeError);
      expect(commits).toEqual([]);
    },
  );

  test('the nonces and sessions that are copied are sorted, too', async () => {
    const copied: Buffer[] = [];
    const chunks = { sendCopyFromChunk: (chunk: Buffer) => copied.push(chunk) };
    const others = { cork() {}, uncork() {}, parse() {}, bind() {}, execute() {}, endCopyFrom() {}, sync() {} };
    const connection = { stream: others, ...others, ...chunks };
    const query = (statement: { submit?: (to: unknown) => void; handleReadyForQuery?: () => void }) => {
      statement.submit?.(connection);
      statement.handleReadyForQuery?.();
      return Promise.resolve({ rows: [], rowCount: 0 });
    };
    const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
    const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
    const uploads = Array.from({ length: 20 }, uploadOfOneSession);
    await storeNewUploads(transaction, uploads, takeNumbers);
    const [nonces, sessions] = copied.map((rows) => rows.toString('latin1'));
    const positions = (rows: string, texts: string[]) => texts.map((text) => rows.indexOf(text));
    const inOrder = [...uploads].sort((a, b) => (a.device.key < b.device.key ? -1 : 1));
    const sessionPlaces = positions(
      sessions!,
      inOrder.map((upload) => upload.sessions[0]!.id),
    );
    const noncePlaces = positions(nonces!, uploads.map(({ nonce }) => nonce.nonce).sort());
    for (const places of [sessionPlaces, noncePlaces]) {
      expect(Math.min(...places)).toBeGreaterThan(0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });

  test('the rows of each statement are sorted, so that two batches never wait for each other in a circle', async () => {
    const firstColumns = new Map<string, string[]>();
    const query = ({ name, values }: { name: string; values: string[] }) => {
      firstColumns.set(name, values[0]!.slice(1, -1).split(','));
      return Promise.resolve({ rows: [], rowCount: firstColumns.get(name)!.length });
    };
    const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
    const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
    const uploads = Array.from({ length: 20 }, uploadOfOneSession);
    await storeUploads(transaction, uploads);
    expect([...firstColumns.keys()]).toEqual(['insert_new_nonces', 'upsert_sessions', 'upsert_devices']);
    for (const column of firstColumns.values()) {
      expect(column).toHaveLength(20);
      expect(column).toEqual(column.toSorted());
    }
  });

  test('the text of a prepared statement is the same for a batch of any size: pg rejects another one', async () => {
    const texts = new Map<string, Set<string>>();
    const query = ({ name, text, values }: { name: string; text: string; values: string[] }) => {
      texts.set(name, (texts.get(name) ?? new Set()).add(text));
      return Promise.resolve({ rows: [], rowCount: values[0]!.split(',').length });
    };
    const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
    const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
    for (const length of [1, 2, 20]) await storeUploads(transaction, Array.from({ length }, uploadOfOneSession));
    expect([...texts.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  });
});

// Named values of the wire as the text of one JSON object, and read back where the service looks one up.
describe('propertyJson', () => {
  const property = (name: string, value: Property['value']): Property => ({ name, value });

  test('of two with one name the last is written last, and no name is special', () => {
    const written = propertyJson([
      property('n', 1),
      property('__proto__', 'p'),
      property('n', 2),
      property('a"b', '\u2028'),
    ]);
    expect(written).toBe('{"n":1,"__proto__":"p","n":2,"a\\"b":"\u2028"}');
  });

  test('any text, as a name and as a value, can be read back', () => {
    const controls = Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code));
    for (const text of [
      ...controls,
      '',
      '"',
      '\\',
      '\ud800',
      '\udfff',
      '\u{1f680}',
      '\u007f',
      '\u0080',
      'é'.repeat(300),
    ]) {
      const written = propertyJson([property(`n${text}`, `v${text}`), property('', text)]);
      expect(JSON.parse(written)).toEqual({ [`n${text}`]: `v${text}`, '': text });
      // A lone surrogate, which UTF-8 cannot express, must not be written.
      expect(written.isWellFormed()).toBe(true);
    }
  });

  test('numbers and booleans, a 64-bit integer digit by digit', () => {
    const big = 9223372036854775807n;
    const written = propertyJson([
      property('big', big),
      property('float', 1e21),
      property('small', -0.5),
      property('no', false),
    ]);
    expect(written).toBe('{"big":9223372036854775807,"float":1e+21,"small":-0.5,"no":false}');
  });

  test('none', () => {
    expect(propertyJson([])).toBe('{}');
  });

  test('a look-up finds the last of one name, and no name is special', () => {
    const values = propertyMap([
      property('n', 'first'),
      property('__proto__', 'p'),
      property('n', 'last'),
      property('b', true),
    ]);
    expect([...values]).toEqual([
      ['n', 'last'],
      ['__proto__', 'p'],
      ['b', true],
    ]);
    expect(propertyMap([]).get('constructor')).toBeUndefined();
  });

  test('objects of one writer do not touch each other, and a row of COPY holds the same bytes', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean(), fc.bigInt());
    const lists = fc.array(fc.record({ name: fc.string({ unit: 'binary' }), value }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(lists, { maxLength: 5 }), fc.nat(100), (all, room) => {
        const writer = new PropertyWriter(room);
        const written = all.map((list) => writer.write(list));
        expect(written.map(String)).toEqual(all.map(propertyJson));
        for (const object of written) {
          const rows = new BinaryRows(16);
          rows.row(1);
          rows.jsonb(object);
          const bytes = rows.end();
          // Behind the head of 19 bytes: the number of columns, the size, and the version of jsonb's format.
          const json = bytes.subarray(19 + 2 + 4 + 1, -2);
          expect(json.toString()).toBe(object.toString());
          expect(bytes.readInt32BE(19 + 2)).toBe(object.length + 1);
        }
      }),
    );
  });
});
