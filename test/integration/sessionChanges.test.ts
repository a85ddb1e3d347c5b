// The log of changes: one row for each transaction that stores or removes, with all that it touched.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { dropOldEvents } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { removeDevices } from '../../src/sessions/upkeep/removalStore.ts';
import { deleteOldChanges } from '../../src/sessions/writer/changesStore.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { sendReport } from '../support/reportSessions.ts';
import { fillApplication } from '../support/removal.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

interface Row {
  xid: string;
  refs: string[];
  device_keys: string[];
  dropped_before: string | null;
  removed_application: string | null;
  purchases_of: string | null;
  transactions: string[] | null;
  lines: string[] | null;
}

const query = <Found extends object>(text: string, values: unknown[] = []) =>
  service.database.pool.query<Found>(text, values).then(({ rows }) => rows);
const changes = () =>
  query<Row>(`SELECT xid::text, refs::text[], device_keys::text[], dropped_before::text,
    removed_application, purchases_of, transactions, lines FROM session_changes ORDER BY at, xid::text::bigint`);
const refsOf = () => query<{ ref: string }>('SELECT s.ref::text FROM sessions s ORDER BY s.ref');

test('a batch of new sessions and one of known sessions name their sessions, devices and rows', async () => {
  const session = aSession({ events: [anEvent(), anEvent()] });
  const report = aReport({ sessions: [session, aSession({ events: [] })] });
  await sendReport(service, report);
  const key = deviceKey(service.application.id, report.device.id);
  const refs = (await refsOf()).map(({ ref }) => ref);
  const [first] = await changes();
  expect(first).toMatchObject({ device_keys: [key, key] });
  expect(first!.refs.toSorted()).toEqual(refs);
  await sendReport(service, { ...report, sessions: [{ ...session, events: [anEvent()] }] });
  const [, second, ...others] = await changes();
  expect(others).toEqual([]);
  const [known] = await query<{ ref: string }>('SELECT ref::text FROM sessions WHERE id = $1', [session.id]);
  expect(second).toMatchObject({ refs: [known!.ref], device_keys: [key] });
});

testOnOneNode('the transaction of a row is that of its sessions', async () => {
  await sendReport(service, aReport());
  const rows = await query('SELECT FROM session_changes c JOIN sessions s ON s.xmin = c.xid::xid');
  expect(rows).toHaveLength(1);
});

test('what retention removes is named, and the first times stay: the arrival where a time cannot be true', async () => {
  await query("UPDATE applications SET created_at = '2020-01-01T00:00:00Z'");
  const events = [
    anEvent({ name: 'bought', timestamp: 1_600_000_100 }),
    anEvent({ name: 'bought', timestamp: 1_600_000_050 }),
    anEvent({ name: 'EventTriggered', type: 'system', timestamp: 1_600_000_010, params: [] }),
    anEvent({ name: 'reset clock', timestamp: 1_000 }),
  ];
  const startDate = '2020-09-13T12:27:00Z';
  const reports = [
    aReport({ user: { id: 'ann' }, sessions: [aSession({ events, startDate })] }),
    aReport({ sessions: [aSession({ events: [], startDate })] }),
  ];
  for (const report of reports) await sendReport(service, report);
  await query(`CREATE TABLE events_20240101 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2024-01-08')`);
  await query("UPDATE sessions SET received_at = '2024-01-03T10:00:00Z'");
  await query("UPDATE events SET anchored_on = '2024-01-03'");
  const [arrived] = await query<{ at: string }>(`SELECT (extract(epoch FROM received_at) * 1000000)::bigint::text AS at
    FROM events WHERE name = 'reset clock'`);
  const refs = (await refsOf()).map(({ ref }) => ref);
  await query('DELETE FROM session_changes');
  await dropOldEvents(service.database.pool, 30, createLog('silent'));
  const rows = await changes();
  expect(rows.map((row) => row.dropped_before)).toEqual(['2024-01-08', null]);
  expect(rows[1]!.refs.toSorted()).toEqual(refs);
  const [ann, nobody] = reports.map(({ device }) => deviceKey(service.application.id, device.id));
  const micros = (seconds: number): string => `${seconds}000000`;
  const begun = Date.parse(startDate) / 1_000;
  const firsts = await query('SELECT kind, unit, name, system, at::text FROM analytics_firsts');
  const first = (kind: string, unit: string, [name, system, at]: [string, boolean, number]) => ({
    ...{ kind, unit, name, system },
    at: micros(at),
  });
  const of = (kind: string, unit: string) => [
    first(kind, unit, ['bought', false, 1_600_000_050]),
    first(kind, unit, ['EventTriggered', true, 1_600_000_010]),
    first(kind, unit, ['', false, begun]),
    { kind, unit, name: 'reset clock', system: false, at: arrived!.at },
  ];
  const expected = [
    ...of('D', ann!),
    ...of('U', 'ann'),
    first('D', nobody!, ['', false, begun]),
    first('A', nobody!, ['', false, begun]),
  ];
  expect(firsts).toHaveLength(expected.length);
  expect(firsts).toEqual(expect.arrayContaining(expected));
});

test('a deleted application is named at once, and its sessions and devices when they go', async () => {
  const application = await service.newApplication();
  await fillApplication(service, application);
  await query('DELETE FROM session_changes');
  const { id } = application;
  await query('UPDATE applications SET deleted_at = now() WHERE id = $1', [id]);
  const refs = await query<{ ref: string }>('SELECT ref::text FROM sessions WHERE application_id = $1', [id]);
  const keys = await query<{ key: string }>('SELECT key FROM devices WHERE application_id = $1', [id]);
  while (await removeDevices(service.database.pool, id));
  const rows = await changes();
  expect(rows[0]).toMatchObject({ removed_application: id, refs: [] });
  expect(rows.flatMap((row) => row.refs).sort()).toEqual(refs.map(({ ref }) => ref).sort());
  expect(rows.at(-1)!.device_keys).toEqual(keys.map(({ key }) => key));
});

test('a store transaction and a line are named when a read would show another thing', async () => {
  const application = await service.newApplication();
  await fillApplication(service, application);
  const { id } = application;
  const told = (await changes()).filter((row) => row.purchases_of === id);
  const lines = await query<{ line_id: string }>('SELECT line_id FROM store_entitlements WHERE application_id = $1', [
    id,
  ]);
  expect(told.some((row) => row.transactions?.length)).toBe(true);
  expect(told.flatMap((row) => row.lines ?? [])).toEqual(expect.arrayContaining(lines.map(({ line_id }) => line_id)));
  await query('DELETE FROM session_changes');
  await query('UPDATE store_transactions SET last_looked_up_at = now() WHERE application_id = $1', [id]);
  await query('UPDATE store_entitlements SET next_look_up_at = now() WHERE application_id = $1', [id]);
  expect(await changes()).toEqual([]);
  await query('UPDATE store_transactions SET revoked_at = now() WHERE application_id = $1', [id]);
  await query("UPDATE store_entitlements SET owner_external_id = 'ann' WHERE application_id = $1", [id]);
  await query('DELETE FROM store_transactions WHERE application_id = $1', [id]);
  const named = (await changes()).map(({ transactions, lines: ofLines }) => [transactions?.length, ofLines?.length]);
  expect(named).toEqual([
    [1, undefined],
    [undefined, 1],
    [1, undefined],
  ]);
});

test('rows of more than seven days are deleted, however many there are', async () => {
  await query("INSERT INTO session_changes (at) SELECT now() - interval '8 days' FROM generate_series(1, 4100)");
  await query("INSERT INTO session_changes (at) SELECT now() - interval '6 days' FROM generate_series(1, 3)");
  await deleteOldChanges(service.database.pool);
  expect(await changes()).toHaveLength(3);
});
