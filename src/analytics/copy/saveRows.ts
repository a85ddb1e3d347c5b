// The statements that put rows from temporary tables into the copy, and take rows out of it.
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOfDuck, runDuck } from './duck.ts';

/** The temporary tables; their columns are in sourceStore.ts and sourceStore.ts. */
export const got = {
  devices: 'got_devices',
  sessions: 'got_sessions',
  events: 'got_events',
  firsts: 'got_firsts',
  transactions: 'got_transactions',
  renewals: 'got_renewals',
  removedApplications: 'got_removed_applications',
  testDevices: 'got_test_devices',
};

const shown = 'g.application_id NOT IN (SELECT id FROM stored.removed_applications)';

/** A device keeps its number; a new one gets the next. No number is given twice, even after its device was removed. */
export async function saveDevices(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `CREATE OR REPLACE TEMP TABLE numbered AS
    SELECT coalesce(d.device, (SELECT "lastDevice" FROM stored.state)
      + row_number() OVER (PARTITION BY d.device IS NULL ORDER BY g.key)) AS device, g.*
    FROM temp.${got.devices} g LEFT JOIN stored.devices d ON d.key = g.key WHERE ${shown}`,
  );
  await runDuck(duck, 'DELETE FROM stored.devices WHERE device IN (SELECT device FROM temp.numbered)');
  await runDuck(duck, 'INSERT INTO stored.devices SELECT * FROM temp.numbered');
  await runDuck(
    duck,
    `UPDATE stored.state
    SET "lastDevice" = greatest("lastDevice", (SELECT coalesce(max(device), 0) FROM temp.numbered))`,
  );
  await runDuck(duck, 'DROP TABLE temp.numbered');
}

/** The copy holds none of these sessions. One without its device is left out: the log tells of it. */
export async function addSessions(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `INSERT INTO stored.sessions
    SELECT g.session, d.device, g.application_id, g.id, g.unit_user, g.at, g.arrived_at, g.started_at, g.finished_at, g.suspect
    FROM temp.${got.sessions} g JOIN stored.devices d ON d.key = g.key WHERE ${shown}`,
  );
}

/** The two halves of a UUID in the form that DuckDB writes, or else the text. */
const isUuid = 'coalesce(TRY_CAST(s.id AS UUID)::VARCHAR = s.id, false)';
const half = (part: string): string =>
  `CASE WHEN ${isUuid} THEN TRY_CAST('0x' || replace(${part}, '-', '') AS UBIGINT) END`;
/** What events have of their session `s`. */
export const ofSession = {
  application_id: 's.application_id',
  device: 's.device',
  unit_user: 's.unit_user',
  session_arrived_at: 's.arrived_at',
  session_high: half('substr(s.id, 1, 18)'),
  session_low: half('substr(s.id, 20)'),
  session_text: `CASE WHEN NOT ${isUuid} THEN s.id END`,
};

export const isMirror = "e.system AND e.name = 'EventTriggered'";

/** The copy holds none of these events. One without its session is left out: the log tells of it. */
export async function addEvents(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `INSERT INTO stored.events
    BY NAME SELECT ${Object.entries(ofSession)
      .map(([column, sql]) => `${sql} AS ${column}`)
      .join(', ')}, e.session, e."at", e.arrived_at, e.place, e.name, e.system, ${isMirror} AS mirror, e.params
    FROM temp.${got.events} e JOIN stored.sessions s ON s.session = e.session
    ORDER BY e.session, e.arrived_at, e.place`,
  );
}

export async function addFirsts(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `INSERT INTO stored.firsts SELECT g.application_id, g.unit, g.user_id, d.device, g.name, g.system, g.at
    FROM temp.${got.firsts} g LEFT JOIN stored.devices d ON d.key = g.key
    WHERE ${shown} AND (g.key IS NULL OR d.device IS NOT NULL)`,
  );
}

export async function addTransactions(duck: DuckDBConnection): Promise<void> {
  await runDuck(duck, `INSERT INTO stored.transactions SELECT * FROM temp.${got.transactions} g WHERE ${shown}`);
}

export async function addRenewals(duck: DuckDBConnection): Promise<void> {
  await runDuck(duck, `INSERT INTO stored.renewals SELECT * FROM temp.${got.renewals} g WHERE ${shown}`);
}

/** Also forgets their rows. */
export async function removeApplications(duck: DuckDBConnection): Promise<void> {
  const removed = `SELECT id FROM temp.${got.removedApplications}`;
  for (const table of ['events', 'sessions', 'devices', 'firsts', 'transactions', 'renewals']) {
    await runDuck(duck, `DELETE FROM stored.${table} WHERE application_id IN (${removed})`);
  }
  await runDuck(
    duck,
    `INSERT INTO stored.removed_applications ${removed} EXCEPT SELECT id FROM stored.removed_applications`,
  );
}

/** `micros` is an instant: what retention has dropped first arrived before it. */
export async function removeBefore(duck: DuckDBConnection, micros: bigint): Promise<void> {
  await runDuck(duck, { text: 'DELETE FROM stored.events WHERE session_arrived_at < $1', values: [micros] });
  await runDuck(duck, { text: 'DELETE FROM stored.sessions WHERE arrived_at < $1', values: [micros] });
}

/** Deletes sessions with their events. Most sessions of the log are new, and DuckDB then reads only their numbers. */
export async function deleteSessions(duck: DuckDBConnection, refs: readonly string[]): Promise<void> {
  await runDuck(duck, {
    text: `CREATE OR REPLACE TEMP TABLE held AS SELECT session FROM stored.sessions WHERE session IN (SELECT unnest($1::BIGINT[]))`,
    values: [listOf(refs)],
  });
  if (await hasRows(duck, 'held')) {
    await runDuck(duck, 'DELETE FROM stored.events WHERE session IN (SELECT session FROM temp.held)');
    await runDuck(duck, 'DELETE FROM stored.sessions WHERE session IN (SELECT session FROM temp.held)');
  }
  await runDuck(duck, 'DROP TABLE temp.held');
}

/** Of these devices, those that PostgreSQL no longer has. Returns whether there were any. */
export async function deleteLostDevices(duck: DuckDBConnection, keys: readonly string[]): Promise<boolean> {
  await runDuck(duck, {
    text: `CREATE OR REPLACE TEMP TABLE lost AS SELECT device FROM stored.devices WHERE key IN (SELECT unnest($1::UUID[]) EXCEPT SELECT key FROM temp.${got.devices})`,
    values: [listOf(keys)],
  });
  const found = await hasRows(duck, 'lost');
  if (found) {
    for (const table of ['events', 'sessions', 'devices']) {
      await runDuck(duck, `DELETE FROM stored.${table} WHERE device IN (SELECT device FROM temp.lost)`);
    }
  }
  await runDuck(duck, 'DROP TABLE temp.lost');
  return found;
}

/** Whether or not the copy has the sessions. */
export async function deleteEvents(duck: DuckDBConnection, refs: readonly string[]): Promise<void> {
  await runDuck(duck, {
    text: 'DELETE FROM stored.events WHERE session IN (SELECT unnest($1::BIGINT[]))',
    values: [listOf(refs)],
  });
}

export async function deletePurchases(
  duck: DuckDBConnection,
  { applicationId, ids, lines }: { applicationId: string; ids: readonly string[]; lines: readonly string[] },
): Promise<void> {
  const json = (texts: readonly string[]): string => JSON.stringify(texts);
  await runDuck(duck, {
    text: `DELETE FROM stored.transactions
      WHERE application_id = $1::UUID AND id IN (SELECT unnest(from_json($2, '["VARCHAR"]')))`,
    values: [applicationId, json(ids)],
  });
  await runDuck(duck, {
    text: `DELETE FROM stored.renewals
      WHERE application_id = $1::UUID AND line IN (SELECT unnest(from_json($2, '["VARCHAR"]')))`,
    values: [applicationId, json(lines)],
  });
}

/** The numbers of test devices, after their lists or the devices have changed. */
export async function numberTestDevices(duck: DuckDBConnection): Promise<void> {
  if (!(await hasRows(duck, 'test_devices', 'stored')) && !(await hasRows(duck, 'test_numbers', 'stored'))) return;
  await runDuck(duck, 'DELETE FROM stored.test_numbers');
  await runDuck(
    duck,
    `INSERT INTO stored.test_numbers
    SELECT d.device FROM stored.devices d JOIN stored.test_devices t ON t.application_id = d.application_id AND t.id = d.id`,
  );
}

/** Returns whether the list differs from that of the copy, which then holds it. */
export async function saveTestDevices(duck: DuckDBConnection): Promise<boolean> {
  const [one, other] = [`SELECT * FROM temp.${got.testDevices}`, 'SELECT * FROM stored.test_devices'];
  await runDuck(
    duck,
    `CREATE OR REPLACE TEMP TABLE moved AS (${one} EXCEPT ${other}) UNION ALL (${other} EXCEPT ${one})`,
  );
  const moved = await hasRows(duck, 'moved');
  await runDuck(duck, 'DROP TABLE temp.moved');
  if (!moved) return false;
  await runDuck(duck, 'DELETE FROM stored.test_devices');
  await runDuck(duck, `INSERT INTO stored.test_devices ${one}`);
  return true;
}

/** As DuckDB's text of a list of numbers or UUIDs. */
const listOf = (keys: readonly string[]): string => `[${keys.join(',')}]`;

async function hasRows(duck: DuckDBConnection, table: string, schema = 'temp'): Promise<boolean> {
  const rows = await rowsOfDuck(duck, `SELECT 1 FROM ${schema}.${table} LIMIT 1`);
  return rows.length > 0;
}
