// EVENT_RETENTION_DAYS: whole weeks of events are dropped, the rest stays, and a session that returns afterwards is a new one.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { hasCode } from '../../src/platform/errors.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import {
  deleteOldSessions,
  dropOldestPartition,
  dropOldEvents,
  eventsKeptFrom,
  findSessionsBefore,
} from '../../src/sessions/upkeep/dropOldEvents.ts';
import { waitingForLocks } from '../support/heldLock.ts';
import { sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, type SessionReport } from '../support/uploads.ts';

const day = 24 * 60 * 60_000;
const log = createLog('silent');

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);

/** Monday of the week that many weeks ago, as in the partitions' names. */
function monday(weeksAgo: number): Date {
  const now = new Date();
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return new Date(today - (((now.getUTCDay() + 6) % 7) + 7 * weeksAgo) * day);
}

const dateOf = (date: Date): string => date.toISOString().slice(0, 10);
const nameOf = (weeksAgo: number): string => `events_${dateOf(monday(weeksAgo)).replaceAll('-', '')}`;

async function createPartition(weeksAgo: number): Promise<void> {
  const [from, to] = [dateOf(monday(weeksAgo)), dateOf(monday(weeksAgo - 1))];
  await sql(`CREATE TABLE ${nameOf(weeksAgo)} PARTITION OF events FOR VALUES FROM ('${from}') TO ('${to}')`);
}

async function partitions(): Promise<string[]> {
  const { rows } = await sql(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass",
  );
  return rows.map(({ name }: { name: string }) => name).sort();
}

/** Uploads one session with one event, and dates its arrival back to that day. */
async function sendOn(date: Date): Promise<SessionReport> {
  const report = aReport();
  expect((await sendReport(service, report)).status).toBe(200);
  const { sessions } = await storedRows(service, report);
  await sql('UPDATE sessions SET received_at = $1 WHERE ref = $2', [date, sessions[0]!.ref]);
  await sql('UPDATE events SET anchored_on = $1 WHERE session_ref = $2', [dateOf(date), sessions[0]!.ref]);
  return report;
}

/** The retention in days that makes a partition of that many weeks ago just old enough. */
function daysSinceEndOf(weeksAgo: number): number {
  return Math.floor((Date.now() - monday(weeksAgo - 1).getTime()) / day);
}

/** Again when the table was busy for 0.2 s, as the housekeeping does. */
async function drop(daysKept: number): Promise<void> {
  const dropped = () => dropOldEvents(service.database.pool, daysKept, log).then(() => true, isBusy);
  while (!(await dropped())) await pause(20);
}
function isBusy(error: unknown): false {
  if (hasCode(error, '55P03')) return false;
  throw error;
}

test('partitions of which every day is older go, with their sessions; the others stay', async () => {
  for (const weeksAgo of [5, 4, 3]) await createPartition(weeksAgo);
  const gone = [await sendOn(monday(5)), await sendOn(new Date(monday(3).getTime() - 1))];
  const kept = [await sendOn(monday(3)), aReport()];
  await sendReport(service, kept[1]);
  const later = (await partitions()).filter((name) => name >= nameOf(3));
  await drop(daysSinceEndOf(4));
  expect(await partitions()).toEqual(later);
  for (const report of gone) {
    const { device, sessions, events } = await storedRows(service, report);
    expect([device === null, sessions, events]).toEqual([false, [], []]);
  }
  for (const report of kept) {
    const { sessions, events } = await storedRows(service, report);
    expect([sessions.length, events.length]).toEqual([1, 1]);
  }
});

test('of a device with an old session and a new one only the old one goes', async () => {
  await createPartition(4);
  const report = await sendOn(monday(4));
  const later = aReport({ device: report.device });
  expect((await sendReport(service, later)).status).toBe(200);
  await drop(7);
  const { sessions, events } = await storedRows(service, report);
  expect(sessions.map(({ id }) => id)).toEqual([later.sessions[0]!.id]);
  expect(events).toHaveLength(1);
});

test('a week of which the last day is not old enough stays whole', async () => {
  await createPartition(4);
  const report = await sendOn(monday(4));
  await drop(daysSinceEndOf(4) + 1);
  expect(await partitions()).toContain(nameOf(4));
  expect((await storedRows(service, report)).events).toHaveLength(1);
});

test('nothing is dropped that is not a partition by its name', async () => {
  await sql("CREATE TABLE events_by_hand PARTITION OF events FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')");
  await sql('CREATE TABLE events_20200113 (note text)');
  await drop(1);
  expect(await partitions()).toContain('events_by_hand');
  expect((await sql("SELECT to_regclass('events_20200113') AS name")).rows[0]).toEqual({ name: 'events_20200113' });
});

describe('a session that comes again after its events were dropped', () => {
  async function sendAgain(report: SessionReport): Promise<void> {
    report.sessions[0]!.events!.push(anEvent());
    expect((await sendReport(service, report)).status).toBe(200);
    const { sessions, events } = await storedRows(service, report);
    expect([sessions.length, events.length]).toEqual([1, 2]);
    expect(sessions[0]!.receivedAt.getTime()).toBeGreaterThan(Date.now() - day);
    expect(events.every(({ sessionRef }) => sessionRef === sessions[0]!.ref)).toBe(true);
    expect((await sendReport(service, report)).status).toBe(200);
    expect((await storedRows(service, report)).events).toHaveLength(2);
  }

  test('is stored as a new one once its row is deleted', async () => {
    await createPartition(4);
    const report = await sendOn(monday(4));
    await drop(7);
    expect((await storedRows(service, report)).sessions).toEqual([]);
    await sendAgain(report);
  });

  test('begins anew while its row is still there, and so do the others of its batch', async () => {
    await createPartition(4);
    const reports = [await sendOn(monday(4)), await sendOn(monday(4))];
    expect(await dropOldestPartition(service.database.pool, 7)).toBe(nameOf(4));
    const fresh = aReport();
    const [response] = await Promise.all([sendReport(service, fresh), ...reports.map(sendAgain)]);
    expect(response.status).toBe(200);
    expect((await storedRows(service, fresh)).events).toHaveLength(1);
    expect(await findSessionsBefore(service.database.pool, monday(1), 10)).toBeNull();
  });

  test('leaves a younger session of its upload as it was', async () => {
    await createPartition(4);
    const report = await sendOn(monday(4));
    const younger = aReport({ device: report.device });
    expect((await sendReport(service, younger)).status).toBe(200);
    await dropOldestPartition(service.database.pool, 7);
    const both = { ...report, sessions: [...report.sessions, ...younger.sessions] };
    expect((await sendReport(service, both)).status).toBe(200);
    const { sessions, events } = await storedRows(service, report);
    const refs = sessions.map(({ ref }) => ref).toSorted();
    expect(events.map(({ sessionRef }) => sessionRef).toSorted()).toEqual(refs);
  });

  test('merges into its row when nothing but the session comes', async () => {
    await createPartition(4);
    const report = await sendOn(monday(4));
    await dropOldestPartition(service.database.pool, 7);
    report.sessions[0]!.events = [];
    expect((await sendReport(service, report)).status).toBe(200);
    expect((await storedRows(service, report)).sessions).toHaveLength(1);
  });
});

test('sessions are deleted oldest first, and one that an upload holds is waited for', async () => {
  await createPartition(4);
  const reports: SessionReport[] = [];
  for (const hour of [3, 1, 2, 0]) reports[hour] = await sendOn(new Date(monday(4).getTime() + hour * 3_600_000));
  const at = (hour: number) => new Date(monday(4).getTime() + hour * 3_600_000).toISOString();
  const [first] = reports as [SessionReport];
  // A Date would lose these microseconds.
  await sql('UPDATE sessions SET received_at = $2 WHERE received_at = $1', [at(1), at(1).replace('Z', '001Z')]);
  // The session of a device among the first, as old as the third session: one device may have millions of sessions.
  await sql(
    `INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, received_at)
    VALUES ($1, 'later', $2, 1, 1, $3, $3)`,
    [deviceKey(service.application.id, first.device.id), service.application.id, at(2)],
  );
  const { pool } = service.database;
  await dropOldestPartition(pool, 7);
  const keptFrom = (await eventsKeptFrom(pool))!;
  expect(await deleteOldSessions(pool, (await findSessionsBefore(pool, keptFrom, 2))!)).toBe(2);
  const left = await Promise.all(reports.map(async (report) => (await storedRows(service, report)).sessions.length));
  expect(left).toEqual([1, 0, 1, 1]);
  const client = await pool.connect();
  await client.query('BEGIN');
  const key = deviceKey(service.application.id, reports[2]!.device.id);
  await client.query('SELECT 1 FROM sessions WHERE device_key = $1 FOR UPDATE', [key]);
  const dropping = drop(7);
  await waitingForLocks(pool, 1);
  expect((await storedRows(service, reports[2]!)).sessions).toHaveLength(1);
  await client.query('COMMIT');
  client.release();
  await dropping;
  expect((await sql('SELECT FROM sessions')).rowCount).toBe(0);
});

test('sessions go to the last one, however many there are', async () => {
  await createPartition(4);
  const kept = aReport();
  expect((await sendReport(service, kept)).status).toBe(200);
  await sql(
    `INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, received_at)
      SELECT gen_random_uuid(), 's', $1, 1, 1, $2, $2 FROM generate_series(1, 5001)`,
    [service.application.id, monday(4)],
  );
  await drop(7);
  expect((await sql('SELECT id FROM sessions')).rows).toEqual([{ id: kept.sessions[0]!.id }]);
});

test('a busy table is left for the next time within a moment, and uploads go on', async () => {
  await createPartition(4);
  const { pool } = service.database;
  const reader = await pool.connect();
  await reader.query('BEGIN; SELECT count(*) FROM events');
  const begun = performance.now();
  await expect(dropOldEvents(pool, 7, log)).rejects.toMatchObject({ code: '55P03' });
  // Half of the pool's own limit.
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect((await sendReport(service, aReport())).status).toBe(200);
  await reader.query('COMMIT');
  reader.release();
  await drop(7);
  expect(await partitions()).not.toContain(nameOf(4));
});

test('two processes do not disturb each other', async () => {
  for (const weeksAgo of [8, 7, 6, 5]) await createPartition(weeksAgo);
  await sendOn(monday(8));
  await Promise.all(Array.from({ length: 4 }, () => drop(7)));
  await drop(7);
  expect((await partitions()).every((name) => name >= nameOf(1))).toBe(true);
});

test('without a partition for today an upload fails, and does not go round in circles', async () => {
  await sql(`DROP TABLE ${nameOf(0)}`);
  const response = await sendReport(service, aReport({ sessions: [aSession({ id: randomUUID() })] }));
  expect(response.status).toBe(500);
});
