// POST /api/v1/session: a repeated upload, in any order and many times at once, is stored and counted once.
import { randomUUID } from 'node:crypto';
import { countsOf, ok, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders, type SessionReport } from '../support/uploads.ts';

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
