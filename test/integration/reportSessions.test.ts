// POST /api/v1/session: what is stored, once, and what the stored state becomes.
import { randomUUID } from 'node:crypto';
import { gzipSync, deflateSync } from 'node:zlib';
import { unpackId } from '../../src/sessions/packedId.ts';
import { deviceKey } from '../../src/sessions/deviceKey.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const ok = { status: 200, body: {} };

function send(report: unknown, key = service.application.key.public) {
  return service.client.send('reportSessions', { 'X-Api-Key': key }, report);
}

async function stored(report: SessionReport, applicationId = service.application.id) {
  const { prisma } = service.database;
  const key = deviceKey(applicationId, report.device.id);
  const device = await prisma.device.findUnique({ where: { key } });
  const sessions = await prisma.session.findMany({ where: { deviceKey: key }, orderBy: { id: 'asc' } });
  const events = await prisma.event.findMany({ where: { deviceKey: key }, orderBy: { occurredAt: 'asc' } });
  return { device, sessions, events: events.map((event) => ({ ...event, id: unpackId(event.id) })) };
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
    ['identity', (bytes: Buffer) => bytes],
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
    Object.assign(extended['sessions']![0]!, { later: null });
    Object.assign(extended['sessions']![0]!['events']![0]!, { later: '\ud800' });
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
    const answers = await Promise.all(copies);
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const { sessions, events } = await stored(report);
    expect([sessions.length, events.length]).toEqual([2, 3]);
    expect(await countsOf(campaignId)).toEqual({ 'resolved:Completed': 1 });
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

describe('user and device state', () => {
  async function upload(
    device: SessionReport['device'],
    user: SessionReport['user'],
    { at, sessions }: { at: number; sessions?: SessionReport['sessions'] },
  ) {
    const report = aReport({ device, user, sessions: sessions ?? [aSession()] });
    const body = json(report);
    const timestamp = Math.floor(Date.now() / 1000) + at;
    expect(
      await service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
    ).toMatchObject(ok);
    return stored(report);
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
    const untouched = await upload(device, { id: 'x' }, { at: 2 });
    expect(untouched.device).toMatchObject({ userId: 'x', userProperties: { a: 1, b: 2, c: 2 } });
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

  test('uploads of one device that share a transaction end in the state of the newest', async () => {
    const device = aDevice();
    const now = Math.floor(Date.now() / 1000);
    const bodies = Array.from({ length: 20 }, (_, i) => {
      const user = { lastSyncTS: 1, properties: [property('latest', i), property(`own-${i}`, i)] };
      return { body: json(aReport({ device, user })), timestamp: now + i };
    });
    bodies.sort(() => Math.random() - 0.5);
    await Promise.all(
      bodies.map(({ body, timestamp }) =>
        service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
      ),
    );
    expect((await stored(aReport({ device }))).device!.userProperties).toMatchObject({ latest: 19 });
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
    for (let i = 0; i < 2; i++) expect(await send(report)).toMatchObject(ok);
    expect((await stored(report)).events).toHaveLength(events.length);
    expect(await countsOf(campaignId)).toEqual({
      shown: 2,
      'resolved:Dismissed': 1,
      'resolved:Unavailable': 2,
      'resolved:Completed': 1,
      'unavailable:TimedOut': 1,
    });
    expect(await countsOf(foreignId)).toEqual({});
  });
});

async function countsOf(campaignId: string): Promise<Record<string, number>> {
  const rows = await service.database.prisma.campaignCount.findMany({ where: { campaignId } });
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, Number(count)]));
}
