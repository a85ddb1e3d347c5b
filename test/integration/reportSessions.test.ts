// POST /api/v1/session: what an upload stores, once, and what it counts.
import { randomUUID } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { holdLock } from '../support/heldLock.ts';
import { countsOf, ok, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, json, type SessionReport, signedHeaders } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// POST /api/v1/session: the possible content of one upload, and its stored form.
describe('reportSessions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(report: unknown, key = service.application.key.public) {
    return sendReport(service, report, { 'X-Api-Key': key });
  }

  function stored(report: SessionReport, applicationId?: string) {
    return storedRows(service, report, applicationId);
  }

  describe('an upload', () => {
    test('is stored field by field', async () => {
      const event = anEvent({
        params: [
          { name: 'level', value: 7 },
          { name: 'mode', value: 'hard' },
          { name: 'won', value: true },
          { name: 'score', value: 1.5 },
        ],
      });
      const session = aSession({ finishDate: '2026-09-10T00:30:00.250Z', events: [event] });
      const report = aReport({
        user: { id: 'user-7', properties: [{ name: 'plan', value: 'pro' }] },
        sessions: [session],
      });
      expect(await send(report)).toMatchObject(ok);
      const { device, sessions, events } = await stored(report);
      expect(device).toMatchObject({
        applicationId: service.application.id,
        id: report.device.id,
        userId: 'user-7',
        userProperties: { plan: 'pro' },
      });
      expect(device!.properties).toEqual({ ...report.device.properties, adId: null, country: null });
      expect(sessions).toMatchObject([
        {
          id: session.id,
          globalNumber: 3n,
          versionNumber: 2n,
          startedAt: new Date('2026-09-10T00:26:40Z'),
          finishedAt: new Date('2026-09-10T00:30:00.250Z'),
        },
      ]);
      expect(events).toMatchObject([
        {
          id: event.id,
          sessionRef: sessions[0]!.ref,
          applicationId: service.application.id,
          name: 'LevelCompleted',
          system: false,
          occurredAt: new Date(1_789_000_010_000),
          params: { level: 7, mode: 'hard', won: true, score: 1.5 },
        },
      ]);
      const arrival = Date.now() - events[0]!.receivedAt.getTime();
      expect(Math.abs(arrival)).toBeLessThan(60_000);
    });

    test.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['identity', (bytes: Buffer) => bytes],
      // As proxies leave it.
      ['', gzipSync],
      ['identity', gzipSync],
      ['X-Gzip', gzipSync],
      ['deflate', gzipSync],
      ['gzip, identity', gzipSync],
      ['gzip', (bytes: Buffer) => bytes],
    ])('may be sent as %s', async (encoding, compress) => {
      const report = aReport();
      const headers = { 'X-Api-Key': service.application.key.public, 'Content-Encoding': encoding };
      expect(await service.client.send('reportSessions', headers, compress(json(report)))).toMatchObject(ok);
      expect((await stored(report)).events).toHaveLength(1);
    });

    test('may hold unknown fields at every level, which are not stored', async () => {
      const report = aReport();
      const extended = JSON.parse(JSON.stringify(report)) as Record<string, never>;
      Object.assign(extended, { later: { deep: [null] } });
      Object.assign(extended['device']!['properties'], { batteryLevel: 0.5, bad: '\0' });
      Object.assign(extended['sessions']![0], { later: null });
      Object.assign(extended['sessions']![0]['events'][0], { later: '\ud800' });
      expect(await send(extended)).toMatchObject(ok);
      const { device } = await stored(report);
      expect(Object.keys(device!.properties as object)).not.toContain('batteryLevel');
    });

    test('keeps 64-bit integers, odd names and all Unicode as they were sent', async () => {
      const report = aReport({
        sessions: [aSession({ id: 'σession 🚀', events: [anEvent({ id: ' é ', params: [] })] })],
      });
      const text = JSON.stringify(report).replace(
        '"params":[]',
        '"params":[{"name":"__proto__","value":9223372036854775807},{"name":"n","value":1},{"name":"n","value":"last wins"},{"name":"a.b\\"c","value":"\\u200b"}]',
      );
      expect(await send(Buffer.from(text))).toMatchObject(ok);
      const { sessions, events } = await stored(report);
      expect([sessions[0]!.id, events[0]!.id]).toEqual(['σession 🚀', ' é ']);
      const { rows } = await service.database.pool.query<{ params: string }>(
        'SELECT params::text FROM events WHERE session_ref = $1',
        [sessions[0]!.ref],
      );
      expect(rows[0]!.params).toBe('{"n": "last wins", "a.b\\"c": "\u200b", "__proto__": 9223372036854775807}');
    });

    test('may hold two entries of one session, which lose no event, and events with one id, which count once', async () => {
      const [one, two] = [anEvent(), anEvent()];
      const session = aSession({ events: [one, two, { ...one, name: 'Other' }] });
      const again = { ...session, finishDate: '2026-09-10T01:00:00Z', events: [anEvent(), two] };
      const report = aReport({ sessions: [session, again] });
      expect(await send(report)).toMatchObject(ok);
      const { sessions, events } = await stored(report);
      expect(sessions).toMatchObject([{ finishedAt: new Date('2026-09-10T01:00:00Z') }]);
      expect(events.map(({ name }) => name)).toEqual(['LevelCompleted', 'LevelCompleted', 'LevelCompleted']);
    });

    test('may hold no events and no properties', async () => {
      const session = aSession();
      delete session.events;
      const report = aReport({ sessions: [session] });
      expect(await send(report)).toMatchObject(ok);
      expect(await stored(report)).toMatchObject({ sessions: [{ id: session.id }], events: [] });
    });
  });
});

// POST /api/v1/session: the state of a user and a device after uploads.
describe('reportSessions: state', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  describe('user and device state', () => {
    async function upload(
      device: SessionReport['device'],
      user: SessionReport['user'],
      {
        at = 0,
        now = Math.floor(Date.now() / 1000),
        sessions,
      }: { at?: number; now?: number; sessions?: SessionReport['sessions'] },
    ) {
      const report = aReport({ device, user, sessions: sessions ?? [aSession()] });
      const body = json(report);
      const timestamp = now + at;
      expect(
        await service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
      ).toMatchObject(ok);
      return storedRows(service, report);
    }
    const property = (name: string, value: string | number | boolean) => ({ name, value });

    test('a whole set replaces, a delta merges, an absent list changes nothing', async () => {
      const device = aDevice();
      await upload(device, { lastSyncTS: null, properties: [property('a', 1), property('b', 1)] }, { at: 0 });
      const merged = await upload(
        device,
        { lastSyncTS: 1_789_000_000, properties: [property('b', 2), property('c', 2)] },
        { at: 1 },
      );
      expect(merged.device!.userProperties).toEqual({ a: 1, b: 2, c: 2 });
      const untouched = await upload(device, { id: null }, { at: 2 });
      expect(untouched.device).toMatchObject({ userId: null, userProperties: { a: 1, b: 2, c: 2 } });
      const replaced = await upload(device, { properties: [property('d', true)] }, { at: 3 });
      expect(replaced.device).toMatchObject({ userId: null, userProperties: { d: true } });
      const cleared = await upload(device, { properties: [] }, { at: 4 });
      expect(cleared.device!.userProperties).toEqual({});
    });

    test('an older upload stores its events and leaves the state alone', async () => {
      const device = aDevice();
      await upload(device, { id: 'new', properties: [property('a', 'new')] }, { at: 0 });
      const older = { ...device, properties: { ...device.properties, deviceModel: 'Old phone' } };
      const result = await upload(older, { id: 'old', properties: [property('a', 'old')] }, { at: -60 });
      expect(result.device).toMatchObject({
        userId: 'new',
        userProperties: { a: 'new' },
        properties: { deviceModel: 'Phone 15' },
      });
      expect(result.events).toHaveLength(2);
    });

    test('an upload of the same second changes the state', async () => {
      const device = aDevice();
      const now = Math.floor(Date.now() / 1000);
      await upload(device, { id: 'first', properties: [property('a', 'first')] }, { now });
      const later = { ...device, properties: { ...device.properties, deviceModel: 'Phone 16' } };
      const result = await upload(later, { id: 'second', properties: [property('a', 'second')] }, { now });
      expect(result.device).toMatchObject({
        userId: 'second',
        userProperties: { a: 'second' },
        properties: { deviceModel: 'Phone 16' },
      });
    });

    test('an upload that a fast clock signed does not keep the next one out, with the login in it', async () => {
      const device = aDevice();
      await upload(device, {}, { at: 240 });
      const result = await upload(device, { id: 'user-1', properties: [property('plan', 'pro')] }, { at: 0 });
      expect(result.device).toMatchObject({ userId: 'user-1', userProperties: { plan: 'pro' } });
      expect(result.device!.lastSeenAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    test('an upload that was signed early and arrives late is seen when it was signed, and not before the device', async () => {
      const now = Math.floor(Date.now() / 1000);
      const late = await upload(aDevice(), {}, { now, at: -100 });
      expect(late.device!.lastSeenAt).toEqual(late.device!.firstSeenAt);
      const device = aDevice();
      const first = await upload(device, {}, { now });
      const second = await upload(device, {}, { now, at: -100 });
      expect(second.device!.lastSeenAt).toEqual(first.device!.lastSeenAt);
    });

    test.each([
      ['a login', [null, 'A']],
      ['a logout', ['A', null]],
      ['a change', ['A', 'B']],
    ])('%s begins without properties, and a delta then starts from nothing', async (_, [before, after]) => {
      const device = aDevice();
      await upload(device, { id: before!, properties: [property('plan', 'pro')] }, {});
      const merged = await upload(device, { id: before!, lastSyncTS: 1, properties: [property('seats', 3)] }, {});
      expect(merged.device!.userProperties).toEqual({ plan: 'pro', seats: 3 });
      const delta = await upload(device, { id: after!, lastSyncTS: 1, properties: [property('level', 1)] }, {});
      expect(delta.device).toMatchObject({ userId: after, userProperties: { level: 1 } });
      const back = await upload(device, { id: before! }, {});
      expect(back.device).toMatchObject({ userId: before, userProperties: {} });
    });

    test('a session keeps the user of the latest upload that brought it', async () => {
      const device = aDevice();
      const [before, after] = [
        aSession({ id: '1 before' }),
        aSession({ id: '2 after', startDate: '2026-09-10T02:26:40Z' }),
      ];
      await upload(device, { id: 'A' }, { at: -50, sessions: [before] });
      await upload(device, { id: 'B' }, { at: -40, sessions: [after] });
      const late = await upload(device, { id: 'C' }, { at: -60, sessions: [before, after] });
      expect(late.sessions).toMatchObject([
        { userId: 'A', utcOffsetMinutes: 120 },
        { userId: 'B', utcOffsetMinutes: 0 },
      ]);
      const again = await upload(device, { id: null }, { sessions: [before] });
      expect(again.sessions.map(({ userId }) => userId)).toEqual([null, 'B']);
    });

    test('uploads of one device that share a transaction end in the state of the newest', async () => {
      const device = aDevice();
      const now = Math.floor(Date.now() / 1000);
      const bodies = Array.from({ length: 20 }, (_, i) => {
        const user = { lastSyncTS: 1, properties: [property('latest', i), property(`own-${i}`, i)] };
        return { body: json(aReport({ device, user })), timestamp: now - 30 + i };
      });
      bodies.sort(() => Math.random() - 0.5);
      await Promise.all(
        bodies.map(({ body, timestamp }) =>
          service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
        ),
      );
      expect((await storedRows(service, aReport({ device }))).device!.userProperties).toMatchObject({ latest: 19 });
    });

    test('a stored removal takes a property away, once, unless its upload sets it', async () => {
      const device = aDevice();
      const removal = (key: string) =>
        aSession({
          events: [
            anEvent({
              type: 'system',
              name: 'CustomPropertyChanged',
              params: [property('key', key), property('oldValue', 1)],
            }),
          ],
        });
      await upload(device, { properties: [property('a', 1), property('b', 1), property('c', 1)] }, { at: 0 });
      const removedA = removal('a');
      // The removal is in a session that is already stored.
      await upload(
        device,
        { lastSyncTS: 1, properties: [] },
        { at: 0, sessions: [{ ...removedA, events: [anEvent()] }] },
      );
      const first = await upload(
        device,
        { lastSyncTS: 1, properties: [] },
        { at: 1, sessions: [removedA, removal('nothing')] },
      );
      expect(first.device!.userProperties).toEqual({ b: 1, c: 1 });
      const setAgain = await upload(
        device,
        { lastSyncTS: 1, properties: [property('b', 2)] },
        { at: 2, sessions: [removal('b')] },
      );
      expect(setAgain.device!.userProperties).toEqual({ b: 2, c: 1 });
      await upload(device, { lastSyncTS: 1, properties: [property('a', 3)] }, { at: 3 });
      const repeated = await upload(device, { lastSyncTS: 1, properties: [] }, { at: 4, sessions: [removedA] });
      expect(repeated.device!.userProperties).toEqual({ a: 3, b: 2, c: 1 });
    });
  });

  test('a process whose clock is a day ahead keeps no later state out', async () => {
    let now = new Date(Date.now() + 24 * 3_600_000);
    await using ahead = await startTestService({ now: () => now });
    const device = aDevice();
    const send = async (id: string) => {
      const report = aReport({ device, user: { id } });
      expect(await sendReport(ahead, report)).toMatchObject(ok);
      return (await storedRows(ahead, report)).device!.userId;
    };
    expect(await send('ahead')).toBe('ahead');
    now = new Date();
    expect(await send('by the right clock')).toBe('by the right clock');
  });
});

// POST /api/v1/session: the counts of campaigns come only from events that are really stored.
describe('reportSessions: counts', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  describe('campaign counts', () => {
    const system = (name: string, params: Record<string, string>) =>
      anEvent({ type: 'system', name, params: Object.entries(params).map(([name, value]) => ({ name, value })) });

    test('are kept by result and reason, for campaigns of the same application only', async () => {
      const campaignId = await createCampaign(service.database.prisma, service.application.id);
      const foreignId = await createCampaign(service.database.prisma, (await service.newApplication()).id);
      const events = [
        system('CampaignShown', { campaignId, source: 'LevelCompleted' }),
        system('CampaignShown', { campaignId: campaignId.toUpperCase(), source: 'LevelCompleted' }),
        system('CampaignResolved', { campaignId, result: 'Dismissed' }),
        system('CampaignResolved', { campaignId, result: 'Unavailable', unavailableReason: 'TimedOut' }),
        system('CampaignResolved', { campaignId, result: 'Unavailable', unavailableReason: 'Unheard of' }),
        system('CampaignResolved', { campaignId, result: 'Completed', unavailableReason: 'TimedOut' }),
        system('CampaignResolved', { campaignId, result: 'Exploded' }),
        system('CampaignShown', { campaignId: foreignId }),
        system('CampaignShown', { campaignId: 'no-uuid' }),
        system('CampaignShown', {}),
        system('SomethingNew', { campaignId }),
        anEvent({ name: 'shown', params: [{ name: 'campaignId', value: campaignId }] }),
      ];
      const report = aReport({ sessions: [aSession({ events })] });
      for (let i = 0; i < 2; i++) expect(await sendReport(service, report)).toMatchObject(ok);
      expect((await storedRows(service, report)).events).toHaveLength(events.length);
      expect(await countsOf(service, campaignId)).toEqual({
        shown: 2,
        'resolved:Dismissed': 1,
        'resolved:Unavailable': 2,
        'resolved:Completed': 1,
        'unavailable:TimedOut': 1,
      });
      expect(await countsOf(service, foreignId)).toEqual({});
    });

    test('grow by the new events of a session that comes again, and by those only', async () => {
      const campaignId = await createCampaign(service.database.prisma, service.application.id);
      const shown = () => system('CampaignShown', { campaignId });
      const [first, session] = [[shown(), anEvent()], aSession()];
      const later = [...first, shown(), shown(), anEvent(), anEvent()];
      const report = aReport();
      for (const events of [first, later, later]) {
        expect(await sendReport(service, { ...report, sessions: [{ ...session, events }] })).toMatchObject(ok);
      }
      expect((await storedRows(service, report)).events).toHaveLength(later.length);
      expect(await countsOf(service, campaignId)).toEqual({ shown: 3 });
    });

    test('are locked in the order of their ids, so that two uploads never wait for each other in a circle', async () => {
      const { prisma, pool } = service.database;
      const ids = await Promise.all([1, 2].map(() => createCampaign(prisma, service.application.id)));
      const [first, last] = ids.sort() as [string, string];
      const shown = (...campaignIds: string[]) =>
        aReport({
          sessions: [aSession({ events: campaignIds.map((campaignId) => system('CampaignShown', { campaignId })) })],
        });
      expect(await sendReport(service, shown(first, last))).toMatchObject(ok);
      const row = 'SELECT FROM campaign_counts WHERE campaign_id = $1 FOR UPDATE';
      const held = await holdLock(pool, row, first);
      const sending = sendReport(service, shown(last, first));
      await held.waiting(1);
      const lastIsFree = await pool.query(`${row} SKIP LOCKED`, [last]);
      await held.release();
      expect(await sending).toMatchObject(ok);
      expect(lastIsFree.rowCount).toBe(1);
      for (const id of ids) expect(await countsOf(service, id)).toEqual({ shown: 2 });
    });
  });
});

// POST /api/v1/session: a repeated upload, in any order and many times at once, is stored and counted once.
describe('reportSessions: idempotency', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(report: unknown, key = service.application.key.public) {
    return sendReport(service, report, { 'X-Api-Key': key });
  }

  function stored(report: SessionReport, applicationId?: string) {
    return storedRows(service, report, applicationId);
  }

  describe('an upload that comes again', () => {
    test('is counted once, also as a retry with the same signature', async () => {
      const report = aReport();
      const body = json(report);
      const headers = signedHeaders(service.application.key, body);
      for (let i = 0; i < 3; i++) expect(await service.client.send('reportSessions', headers, body)).toMatchObject(ok);
      expect(await send(report)).toMatchObject(ok);
      expect(await stored(report)).toMatchObject({ sessions: [{}], events: [{}] });
      expect((await stored(report)).events).toHaveLength(1);
    });

    test.each([
      ['unsigned', () => ({})],
      ['signed with one nonce', () => ({ nonce: 'one-nonce-for-all-of-them-01' })],
      ['signed anew each time', () => ({ nonce: randomUUID() })],
    ])('50 times at once, %s, is stored once and counted once', async (form, signing) => {
      const campaignId = await createCampaign(service.database.prisma, service.application.id);
      const resolved = anEvent({
        name: 'CampaignResolved',
        type: 'system',
        params: [
          { name: 'campaignId', value: campaignId },
          { name: 'result', value: 'Completed' },
        ],
      });
      const report = aReport({ sessions: [aSession({ events: [resolved, anEvent()] }), aSession()] });
      const body = json(report);
      const copies = Array.from({ length: 50 }, () => {
        const headers =
          form === 'unsigned'
            ? { 'X-Api-Key': service.application.key.public }
            : signedHeaders(service.application.key, body, signing());
        return service.client.send('reportSessions', headers, body);
      });
      const responses = await Promise.all(copies);
      expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
      const { sessions, events } = await stored(report);
      expect([sessions.length, events.length]).toEqual([2, 3]);
      expect(await countsOf(service, campaignId)).toEqual({ 'resolved:Completed': 1 });
    });

    test('under another application is another device with its own data', async () => {
      const other = await service.newApplication();
      const report = aReport();
      await send(report);
      await send(report, other.key.public);
      expect((await stored(report)).events).toHaveLength(1);
      expect((await stored(report, other.id)).events).toHaveLength(1);
    });

    test('from another device keeps its own sessions and events, even with equal ids', async () => {
      const report = aReport();
      const other = { ...report, device: aDevice() };
      await send(report);
      await send(other);
      expect((await stored(report)).events).toHaveLength(1);
      expect((await stored(other)).events).toHaveLength(1);
    });

    test('merges to the same result in every order of arrival', async () => {
      const id = randomUUID();
      const events = [anEvent({ id: 'a' }), anEvent({ id: 'b' }), anEvent({ id: 'c' })];
      const parts = [
        aSession({ id, finishDate: null, events: [events[0]!] }),
        aSession({ id, finishDate: '2026-09-10T01:00:00Z', number: { global: 4, version: 1 }, events: [events[1]!] }),
        aSession({ id, finishDate: '2026-09-10T00:50:00Z', startDate: '2026-09-10T00:20:00Z', events: [events[2]!] }),
      ];
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]) {
        const report = aReport();
        for (const index of order) expect(await send({ ...report, sessions: [parts[index]!] })).toMatchObject(ok);
        const result = await stored(report);
        expect(result.sessions).toMatchObject([
          {
            startedAt: new Date('2026-09-10T00:20:00Z'),
            finishedAt: new Date('2026-09-10T01:00:00Z'),
            globalNumber: 3n,
            versionNumber: 1n,
          },
        ]);
        expect(result.events.map((event) => event.id).sort()).toEqual(['a', 'b', 'c']);
      }
    });

    test('does not change an event that is stored: the first write wins', async () => {
      const event = anEvent();
      const session = aSession({ events: [event] });
      const report = aReport({ sessions: [session] });
      await send(report);
      await send({ ...report, sessions: [{ ...session, events: [{ ...event, name: 'Changed', params: [] }] }] });
      expect((await stored(report)).events).toMatchObject([{ name: 'LevelCompleted', params: { level: 7 } }]);
    });
  });
});

// POST /api/v1/session: instants are stored to the exact microsecond, however the rows are written to the database.
describe('reportSessions: instants', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const years = [1698, 1723, 1799, 1860, 1919, 1969, 1970, 1999, 2026, 2115, 2127, 2200, 2241];
  const dates = years.flatMap((year) =>
    ['000001', '313370', '499999', '796296', '999999'].map((micros) => `${year}-09-17T20:36:59.${micros}`),
  );

  const asText = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;

  async function storedTexts(select: string, report: SessionReport): Promise<Record<string, string>[]> {
    const { rows } = await service.database.pool.query<Record<string, string>>(
      `${select} WHERE key = (SELECT key FROM devices WHERE id = $1) ORDER BY id`,
      [report.device.id],
    );
    return rows;
  }

  const sessionsOf = (report: SessionReport) =>
    storedTexts(
      `SELECT * FROM (SELECT device_key AS key, id, ${asText('started_at')} AS began, ${asText('finished_at')} AS ended
      FROM sessions) AS s`,
      report,
    );
  const eventsOf = (report: SessionReport) =>
    storedTexts(
      `SELECT * FROM (SELECT device_key AS key, name AS id, ${asText('occurred_at')} AS occurred FROM events) AS e`,
      report,
    );

  test('starts and ends of sessions are exact from 1698 to 2241', async () => {
    const sessions = dates.map((date) =>
      aSession({ id: date, startDate: `${date}Z`, finishDate: `${date}9Z`, events: [] }),
    );
    const report = aReport({ sessions });
    expect(await sendReport(service, report)).toMatchObject(ok);
    const stored = await sessionsOf(report);
    expect(stored).toHaveLength(dates.length);
    expect(stored.filter(({ id, began, ended }) => began !== id || ended !== id)).toEqual([]);
  });

  test('a date without seconds is the full minute', async () => {
    const sessions = [
      aSession({ id: 'a', startDate: '2026-11-25T06:40Z', finishDate: '2026-11-25T08:41+02' }),
      aSession({ id: 'b', startDate: '2026-11-25T01:40-0500', events: [anEvent({ date: '2026-11-25T06:40Z' })] }),
    ];
    const report = aReport({ sessions });
    expect(await sendReport(service, report)).toMatchObject(ok);
    expect(await sessionsOf(report)).toMatchObject([
      { began: '2026-11-25T06:40:00.000000', ended: '2026-11-25T06:41:00.000000' },
      { began: '2026-11-25T06:40:00.000000', ended: null },
    ]);
  });

  test('the first and the last instant there are, and the very second of 1970, are stored', async () => {
    const instants = ['0001-01-01T00:00:00', '1970-01-01T00:00:00', '9999-12-31T23:59:59'];
    const sessions = instants.map((date) =>
      aSession({ id: date, startDate: `${date}Z`, finishDate: `${date}Z`, events: [] }),
    );
    const late = aSession({ id: '9999-12-31T23:59:59.999969', startDate: '9999-12-31T23:59:59.999999Z', events: [] });
    const report = aReport({ sessions: [...sessions, late] });
    expect(await sendReport(service, report)).toMatchObject(ok);
    const expected = instants.map((date) => ({ began: `${date}.000000`, ended: `${date}.000000` }));
    expect(await sessionsOf(report)).toMatchObject([...expected, { began: late.id, ended: null }]);
  });

  test('events are exact as well, and otherwise rounded, in a session that is new and in one that comes again', async () => {
    const exact = dates.filter((date) => date >= '1970-09').map((date) => [date, date] as const);
    const rounded = [
      ['2026-09-10T00:10:00.1234569', '2026-09-10T00:10:00.123457'],
      ['2026-09-10T00:10:00.9999999', '2026-09-10T00:10:01.000000'],
    ] as const;
    const sent = [...exact, ...rounded];
    const events = (way: string) =>
      sent.map(([date, stored]) => anEvent({ name: `${way} ${stored}`, timestamp: unixSeconds(date) }));
    const session = aSession({ events: events('copied') });
    const report = aReport({ sessions: [session] });
    expect(await sendReport(service, report)).toMatchObject(ok);
    const again = { ...report, sessions: [{ ...session, events: events('inserted') }] };
    expect(await sendReport(service, again)).toMatchObject(ok);
    const stored = await eventsOf(report);
    expect(stored).toHaveLength(2 * sent.length);
    expect(stored.filter(({ id, occurred }) => !id!.endsWith(` ${occurred}`))).toEqual([]);
  });

  /** With every digit of the fraction. */
  function unixSeconds(date: string): number {
    return Number(`${Date.parse(`${date.slice(0, 19)}Z`) / 1_000}${date.slice(19)}`);
  }
});
