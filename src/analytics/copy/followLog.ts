// Brings a copy up to date with the log of changes: what the log names is fetched as it is now, and replaced as a whole.
import type { ClientBase } from 'pg';
import { readState, writeState, type CopyFile } from './copyFile.ts';
import { inDuckTransaction, rowsOfDuck } from './duck.ts';
import { findChanges, findHorizon, type Change } from './logStore.ts';
import { addEvents, addSessions, deleteSessions, got, saveDevices } from './saveRows.ts';
import {
  deviceColumns,
  eventColumns,
  sessionColumns,
  touchedDevices,
  touchedEvents,
  touchedSessions,
  type TouchedSessions,
} from './sourceStore.ts';
import { spool, spoolAll, type Spool } from './spool.ts';

export interface Following {
  file: CopyFile;
  client: ClientBase;
  folder: string;
}

export interface Followed {
  /** Everything committed before it is in, in microseconds since 1970. */
  asOf: bigint;
  /** The log has further rows that can be read at once. */
  more: boolean;
  /** A transaction has committed whose changes wait for the end of an older one. */
  ahead: boolean;
}

/** Rows of the log in one transaction of DuckDB: about two seconds of 10,000 events each. */
const mostChanges = 200;
const idleMicros = 30_000_000n;

/**
 * Rows and cursor are in one transaction of DuckDB. Rows are fetched after the log was read, and so may be newer than
 * the log row that names them: the log row of the newer change fetches and replaces them once more. So each row is in the
 * copy once, in whatever order the transactions committed and wherever either side was cut off.
 */
export async function followLog({ file, client, folder }: Following): Promise<Followed> {
  const state = (await readState(file))!;
  const horizon = await findHorizon(client);
  const { changes, more } = await findChanges(client, { from: state.nextXid, below: horizon.below, most: mostChanges });
  const ahead = horizon.aheadSince !== null;
  const asOf = more ? state.asOf : (horizon.aheadSince ?? horizon.now);
  // A commit of DuckDB waits for the disk. An idle copy makes one now and then, for its age and its place in the log.
  if (changes.length === 0 && asOf - state.asOf < idleMicros) return { asOf, more, ahead };
  const nextXid = more ? changes.at(-1)!.xid + 1n : horizon.below;
  await inDuckTransaction(file.duck, async () => {
    if (changes.length > 0) await replaceSessions(touchedBy(changes), { client, duck: file.duck, folder });
    await writeState(file, { nextXid, asOf, seenXid: horizon.next });
  });
  return { asOf, more, ahead };
}

/** Each session once. */
function touchedBy(changes: readonly Change[]): TouchedSessions {
  const keyOf = new Map<string, string>();
  for (const { refs, deviceKeys } of changes) for (const [at, ref] of refs.entries()) keyOf.set(ref, deviceKeys[at]!);
  return { refs: [...keyOf.keys()], deviceKeys: [...keyOf.values()] };
}

async function replaceSessions(touched: TouchedSessions, spooling: Spool): Promise<void> {
  const { duck } = spooling;
  const keys = [...new Set(touched.deviceKeys)];
  const rows = { table: got.sessions, columns: sessionColumns, statement: touchedSessions(touched) };
  await spoolAll(spooling, rows);
  await spoolAll(spooling, { table: got.devices, columns: deviceColumns, statement: touchedDevices(keys) });
  await saveDevices(duck);
  await deleteSessions(duck, touched.refs);
  await addSessions(duck);
  const statement = touchedEvents(touched, await arrivalDates(spooling));
  await spool(spooling, { table: got.events, columns: eventColumns, statement }, () => addEvents(duck));
}

/** The UTC dates on which the fetched sessions first arrived. */
async function arrivalDates({ duck }: Spool): Promise<string[]> {
  const days = await rowsOfDuck<{ day: bigint }>(
    duck,
    `SELECT DISTINCT arrived_at // 86400000000 AS day FROM temp.${got.sessions}`,
  );
  return days.map(({ day }) => new Date(Number(day) * 86_400_000).toISOString().slice(0, 10));
}
