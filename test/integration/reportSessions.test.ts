// POST /api/v1/session: the possible content of one upload, and its stored form.
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ok, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, json, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
