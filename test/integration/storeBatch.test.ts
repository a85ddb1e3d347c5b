// Batches that are expected to be new: rows that are already stored are found by their key, with the same result as after a look-up.
import { createHash, randomUUID } from 'node:crypto';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { createBatchStore } from '../../src/sessions/writer/storeBatch.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { countsOf, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { anEvent, aReport, aSession, json, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** No batch gets other limits than the connection. */
const onPlainPostgres = { limits: {} };

function uploadOf(report: SessionReport, nonce: string | null = randomUUID()): Upload {
  const applicationId = service.application.id;
  const bodyHash = createHash('sha256').update(json(report)).digest();
  const rows = sessionRows(report, { applicationId, stateAt: 1_789_000_000 });
  return { ...rows, nonce: nonce === null ? null : { applicationId, nonce, bodyHash } };
}

const store = (uploads: Upload[]) =>
  createBatchStore(service.database.pool, onPlainPostgres)(uploads, { behind: false });

test('a new batch is stored, each event with the number and the day of its session', async () => {
  const reports = Array.from({ length: 5 }, () => aReport({ sessions: [aSession(), aSession({ events: [] })] }));
  const { outcomes, eventsInserted } = await store(reports.map((report) => uploadOf(report)));
  expect(outcomes).toEqual(reports.map(() => 'stored'));
  expect(eventsInserted).toBe(reports.flatMap(({ sessions }) => sessions.flatMap(({ events }) => events)).length);
  for (const report of reports) {
    const { sessions, events, device } = await storedRows(service, report);
    expect(device).not.toBeNull();
    expect(sessions).toHaveLength(2);
    expect(new Set(events.map(({ sessionRef }) => sessionRef))).toEqual(
      new Set(sessions.filter(({ id }) => id === report.sessions[0]!.id).map(({ ref }) => ref)),
    );
  }
  const { rows } = await service.database.pool.query<{ strays: number; late: number }>(
    `SELECT count(*) FILTER (WHERE s.ref IS NULL OR e.anchored_on <> (s.received_at AT TIME ZONE 'UTC')::date)::integer AS strays,
      count(*) FILTER (WHERE abs(extract(epoch FROM s.received_at - e.received_at)) > 60)::integer AS late
    FROM events e LEFT JOIN sessions s ON s.ref = e.session_ref AND s.device_key = e.device_key`,
  );
  expect(rows).toEqual([{ strays: 0, late: 0 }]);
});

test('a batch with a session that is stored already keeps what is new of it and doubles nothing', async () => {
  const campaignId = await createCampaign(service.database.prisma, service.application.id);
  const params = [
    { name: 'source', value: 'Anything' },
    { name: 'campaignId', value: campaignId },
  ];
  const shown = anEvent({ type: 'system', name: 'CampaignShown', params });
  const [session, added, other] = [aSession({ events: [shown], finishDate: null }), anEvent(), aReport()];
  const report = aReport({ sessions: [session] });
  const again = {
    ...report,
    sessions: [{ ...session, finishDate: '2026-09-10T00:30:00Z', events: [shown, added] }],
  };
  expect(await store([uploadOf(report)])).toMatchObject({ eventsInserted: 1 });
  const both = await store([uploadOf(again), uploadOf(other)]);
  expect(both).toMatchObject({ outcomes: ['stored', 'stored'], eventsInserted: 2 });
  const { sessions, events } = await storedRows(service, report);
  expect(sessions).toMatchObject([{ id: session.id, finishedAt: new Date('2026-09-10T00:30:00Z') }]);
  expect(events.map(({ id }) => id).sort()).toEqual([shown.id, added.id].sort());
  expect((await storedRows(service, other)).events).toHaveLength(1);
  expect(await countsOf(service, campaignId)).toEqual({ shown: 1 });
});

test('a nonce that is known is told from a new one by its body', async () => {
  const [nonce, report, other, third] = [randomUUID(), aReport(), aReport(), aReport()];
  await store([uploadOf(report, nonce)]);
  const { outcomes } = await store([uploadOf(report, nonce), uploadOf(other, nonce), uploadOf(third)]);
  expect(outcomes).toEqual(['repeated', 'nonce_reused', 'stored']);
  expect((await storedRows(service, other)).sessions).toEqual([]);
  expect((await storedRows(service, third)).sessions).toHaveLength(1);
});

test('a batch that was sent behind one which turns out to be known is stored all the same', async () => {
  const [report, other] = [aReport(), aReport()];
  const keep = createBatchStore(service.database.pool, onPlainPostgres);
  await keep([uploadOf(report)], { behind: false });
  const known = keep([uploadOf(report)], { behind: false });
  await new Promise((resolve) => setImmediate(resolve));
  const behind = keep([uploadOf(other)], { behind: true });
  expect(await known).toMatchObject({ outcomes: ['stored'], eventsInserted: 0 });
  expect(await behind).toMatchObject({ outcomes: ['stored'], eventsInserted: 1 });
  expect((await storedRows(service, report)).events).toHaveLength(1);
  expect((await storedRows(service, other)).events).toHaveLength(1);
});

test('processes that take the same sessions to be new at once store each event once', async () => {
  const reports = Array.from({ length: 12 }, () => aReport({ sessions: [aSession(), aSession()] }));
  const processes = Array.from({ length: 6 }, () => createBatchStore(service.database.pool, onPlainPostgres));
  await Promise.all(
    processes.map((each, at) =>
      each(
        [...reports.slice(at), ...reports.slice(0, at)].map((it) => uploadOf(it)),
        { behind: false },
      ),
    ),
  );
  for (const report of reports) {
    const { sessions, events } = await storedRows(service, report);
    expect([sessions.length, events.length]).toEqual([2, report.sessions.flatMap(({ events }) => events!).length]);
  }
});
