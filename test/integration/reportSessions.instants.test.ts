// POST /api/v1/session: instants are stored to the exact microsecond, however the rows are written to the database.
import { ok, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
