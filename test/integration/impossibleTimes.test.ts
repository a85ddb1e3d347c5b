// Times that cannot be true: every engine counts the arrival, and the session of the device shows them as they came.
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readEventNames } from '../../src/analytics/reads/eventNamesRead.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { anEvent, aReport, aSession, type SessionReport } from '../support/uploads.ts';

let service: TestService;
let viewer: TestUser;
let engines: TestEngine[];
let applicationId: string;
beforeAll(async () => {
  service = await startTestService();
  applicationId = service.application.id;
  viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
  engines = openEngines(service.database);
});
afterAll(async () => {
  for (const { engine } of engines) await engine.close();
  await service.stop();
});

const hourMillis = 3_600_000;
const dayMillis = 24 * hourMillis;
const textOf = (millis: number): string => new Date(millis).toISOString();
const today = () => textOf(Date.now()).slice(0, 10);

/** One session with one event of the name, whose phone shows another time. */
function uploadOf(name: string, clock: number): SessionReport {
  const events = [anEvent({ name, timestamp: clock / 1_000, params: [] })];
  return aReport({
    sessions: [aSession({ startDate: textOf(clock), finishDate: textOf(clock + 60_000), events })],
  });
}

const query = `query D($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) {
  sessions { startedAt datesSuspect events { timestamp timestampSuspect } } } }`;

async function shownOf({ device }: SessionReport) {
  const { data } = await viewer.ask(query, { app: applicationId, id: device.id });
  return (data!['device'] as { sessions: Record<string, unknown>[] }).sessions;
}

async function createdAt(): Promise<number> {
  const { rows } = await service.database.pool.query<{ at: Date }>(
    'SELECT created_at AS at FROM applications WHERE id = $1',
    [applicationId],
  );
  return rows[0]!.at.getTime();
}

test('a phone set to 1970 is new today, makes no event older, and has no length; one of 399 days ago is true', async () => {
  const before = Date.now() - 1_000;
  const [lost, old] = [uploadOf('Lost', 1_000_000), uploadOf('Old', (await createdAt()) - 399 * dayMillis)];
  for (const report of [lost, old]) await sendReport(service, report);
  for (const { name, engine, follow } of engines) {
    await follow();
    const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
    const { nodes } = await readEventNames(engine, { ...about, search: null, limit: 50, after: null });
    const seen = new Map(nodes.map((node) => [node.name, node]));
    expect([name, seen.get('Lost')!.firstSeenAt.getTime()]).toEqual([name, expect.any(Number)]);
    expect(seen.get('Lost')!.firstSeenAt.getTime()).toBeGreaterThan(before);
    expect(seen.get('Lost')!.count30Days).toBe(1);
    expect(seen.get('Old')!.firstSeenAt.getTime()).toBeLessThan(before - 390 * dayMillis);
    const range = { from: today(), to: today(), timeZone: 'UTC', interval: 'DAY', unit: 'DEVICE' } as const;
    const asked = { applicationId, includeTest: false, compare: false, ...range };
    const { totals } = await readActivity(engine, asked, new Date());
    expect({ name, ...totals }).toMatchObject({ name, new: 1, sessions: 1, events: 1, medianSessionSeconds: null });
  }
  expect(await shownOf(lost)).toEqual([
    {
      ...{ startedAt: textOf(1_000_000), datesSuspect: true },
      events: [{ timestamp: textOf(1_000_000), timestampSuspect: true }],
    },
  ]);
  expect(await shownOf(old)).toMatchObject([{ datesSuspect: false, events: [{ timestampSuspect: false }] }]);
});

test.each([
  [23 * hourMillis, false],
  [25 * hourMillis, true],
])('a phone that is %i ms ahead counts at its arrival, and is suspect: %s', async (ahead, isSuspect) => {
  const report = uploadOf(`Ahead ${ahead}`, Date.now() + ahead);
  await sendReport(service, report);
  expect(await shownOf(report)).toMatchObject([{ datesSuspect: isSuspect, events: [{ timestampSuspect: isSuspect }] }]);
  for (const { engine, follow } of engines) {
    await follow();
    const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
    const { nodes } = await readEventNames(engine, { ...about, search: 'ahead', limit: 50, after: null });
    for (const { lastSeenAt } of nodes) expect(lastSeenAt.getTime()).toBeLessThanOrEqual(Date.now());
  }
});

test('a session that goes on for days is not suspect', async () => {
  const report = uploadOf('Long', Date.now() - hourMillis);
  const session = { ...report.sessions[0]!, events: [], finishDate: null };
  await sendReport(service, { ...report, sessions: [session] });
  await service.database.pool.query(
    `UPDATE sessions SET received_at = (received_at AT TIME ZONE 'UTC' - interval '3 days') AT TIME ZONE 'UTC',
      started_at = (started_at AT TIME ZONE 'UTC' - interval '3 days') AT TIME ZONE 'UTC' WHERE id = $1`,
    [session.id],
  );
  await sendReport(service, { ...report, sessions: [{ ...session, finishDate: textOf(Date.now() - 1_000) }] });
  expect(await shownOf(report)).toMatchObject([{ datesSuspect: false }]);
});

test('a first time that retention kept before it cannot be true is the creation of the application', async () => {
  await service.database.pool.query(
    `INSERT INTO analytics_firsts (application_id, kind, unit, name, system, at)
     SELECT application_id, 'D', key::text, 'Gone', false, 1000000 FROM devices WHERE application_id = $1 LIMIT 1`,
    [applicationId],
  );
  // Opened now: the log does not tell of the row.
  const fresh = openEngines(service.database);
  for (const { name, engine, follow } of fresh) {
    await follow();
    const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
    const { nodes } = await readEventNames(engine, { ...about, search: 'gone', limit: 50, after: null });
    expect(nodes.map(({ firstSeenAt }) => [name, firstSeenAt.getTime()])).toEqual([[name, await createdAt()]]);
    await engine.close();
  }
});
