// The statements that put rows from temporary tables into the copy, in place of what it holds of the same things.
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOfDuck, runDuck } from './duck.ts';

/** The names of the temporary tables, whose columns are in sourceStore.ts. */
export const got = { devices: 'got_devices', sessions: 'got_sessions', events: 'got_events' };

/**
 * A device keeps its number; a new one gets the next. No number is given twice, even after its device was removed.
 */
export async function saveDevices(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `CREATE OR REPLACE TEMP TABLE numbered AS
    SELECT coalesce(d.device, (SELECT "lastDevice" FROM stored.state)
      + row_number() OVER (PARTITION BY d.device IS NULL ORDER BY g.key)) AS device, g.*
    FROM temp.${got.devices} g LEFT JOIN stored.devices d ON d.key = g.key`,
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
    SELECT g.session, d.device, g.application_id, g.id, g.unit_user, least(g.started_at, g.arrived_at), g.arrived_at,
      g.started_at, g.finished_at
    FROM temp.${got.sessions} g JOIN stored.devices d ON d.key = g.key`,
  );
}

/** The copy holds none of these events. One without its session is left out: the log tells of it. */
export async function addEvents(duck: DuckDBConnection): Promise<void> {
  await runDuck(
    duck,
    `INSERT INTO stored.events
    SELECT s.application_id, s.device, e.session, s.unit_user, least(e.occurred_at, e.arrived_at), e.arrived_at,
      s.arrived_at, s.id, e.place, e.name, e.system, e.system AND e.name = 'EventTriggered', e.params
    FROM temp.${got.events} e JOIN stored.sessions s ON s.session = e.session`,
  );
}

/** Deletes sessions with their events. Most sessions of the log are new, and DuckDB then reads only their numbers. */
export async function deleteSessions(duck: DuckDBConnection, refs: readonly string[]): Promise<void> {
  await runDuck(duck, {
    text: 'CREATE OR REPLACE TEMP TABLE held AS SELECT session FROM stored.sessions WHERE session IN (SELECT unnest($1::BIGINT[]))',
    values: [listOf(refs)],
  });
  const [{ count }] = (await rowsOfDuck<{ count: bigint }>(duck, 'SELECT count(*) AS count FROM temp.held')) as [
    { count: bigint },
  ];
  if (count > 0n) {
    await runDuck(duck, 'DELETE FROM stored.events WHERE session IN (SELECT session FROM temp.held)');
    await runDuck(duck, 'DELETE FROM stored.sessions WHERE session IN (SELECT session FROM temp.held)');
  }
  await runDuck(duck, 'DROP TABLE temp.held');
}

/** As DuckDB's text of a list. */
const listOf = (numbers: readonly string[]): string => `[${numbers.join(',')}]`;
