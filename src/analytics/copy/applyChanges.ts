// Applies rows of the log to the copy, within the transaction of DuckDB that moves the cursor past them.
import type { DuckDBConnection } from '@duckdb/node-api';
import { inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import type { Change } from './logStore.ts';
import {
  findTouchedIds,
  renewalColumns,
  touchedRenewals,
  touchedTransactions,
  transactionColumns,
  type TouchedPurchases,
} from './purchasesSource.ts';
import {
  addEvents,
  addFirsts,
  addRenewals,
  addSessions,
  addTransactions,
  deleteLostDevices,
  deletePurchases,
  deleteSessions,
  got,
  numberTestDevices,
  removeApplications,
  removeBefore,
  saveDevices,
  saveTestDevices,
} from './saveRows.ts';
import {
  allFirsts,
  deviceColumns,
  eventColumns,
  firstColumns,
  sessionColumns,
  testDeviceColumns,
  testDevices,
  touchedDevices,
  touchedEvents,
  touchedSessions,
  type TouchedSessions,
} from './sourceStore.ts';
import { spool, spoolAll, type Spool } from './spool.ts';

/** Returns whether rows were removed for good: the file holds their bytes until it is written anew. */
export async function applyChanges(changes: readonly Change[], spooling: Spool): Promise<boolean> {
  const { duck } = spooling;
  const applications = changes.flatMap(({ removedApplication }) => removedApplication ?? []);
  if (applications.length > 0) await forgetApplications(duck, applications);
  const dropped = changes.flatMap(({ droppedBefore }) => droppedBefore ?? []).sort();
  if (dropped.length > 0) await removeBefore(duck, BigInt(Date.parse(dropped.at(-1)!)) * 1_000n);
  const lost = await replaceSessions(touchedBy(changes), spooling);
  for (const purchases of purchasesOf(changes)) await replacePurchases(purchases, spooling);
  if (dropped.length > 0 || lost) await replaceFirsts(spooling);
  return applications.length > 0 || dropped.length > 0 || lost;
}

/** Takes over the lists of test devices, which the log does not tell of. */
export async function followTestDevices(spooling: Spool): Promise<void> {
  await spoolAll(spooling, { table: got.testDevices, columns: testDeviceColumns, statement: testDevices() });
  await inDuckTransaction(spooling.duck, async () => {
    if (await saveTestDevices(spooling.duck)) await numberTestDevices(spooling.duck);
  });
}

async function forgetApplications(duck: DuckDBConnection, ids: readonly string[]): Promise<void> {
  await runDuck(duck, {
    text: `CREATE OR REPLACE TEMP TABLE ${got.removedApplications} AS SELECT DISTINCT unnest($1::UUID[]) AS id`,
    values: [`[${ids.join(',')}]`],
  });
  await removeApplications(duck);
}

interface Touched extends TouchedSessions {
  /** Of the sessions, and further ones. */
  devices: readonly string[];
}

/** Each session once. */
function touchedBy(changes: readonly Change[]): Touched {
  const keyOf = new Map<string, string>();
  for (const { refs, deviceKeys } of changes) for (const [at, ref] of refs.entries()) keyOf.set(ref, deviceKeys[at]!);
  const devices = [...new Set(changes.flatMap(({ deviceKeys }) => deviceKeys))];
  return { refs: [...keyOf.keys()], deviceKeys: [...keyOf.values()], devices };
}

/** Returns whether devices are gone. */
async function replaceSessions(touched: Touched, spooling: Spool): Promise<boolean> {
  const { duck } = spooling;
  if (touched.devices.length === 0) return false;
  await spoolAll(spooling, { table: got.sessions, columns: sessionColumns, statement: touchedSessions(touched) });
  const statement = touchedDevices(touched.devices);
  await spoolAll(spooling, { table: got.devices, columns: deviceColumns, statement });
  const lost = await deleteLostDevices(duck, touched.devices);
  await saveDevices(duck);
  await numberTestDevices(duck);
  await deleteSessions(duck, touched.refs);
  await addSessions(duck);
  const events = touchedEvents(touched, await arrivalDates(spooling));
  await spool(spooling, { table: got.events, columns: eventColumns, statement: events }, () => addEvents(duck));
  return lost;
}

/** The UTC dates on which the fetched sessions first arrived. */
async function arrivalDates({ duck }: Spool): Promise<string[]> {
  const days = await rowsOfDuck<{ day: bigint }>(
    duck,
    `SELECT DISTINCT arrived_at // 86400000000 AS day FROM temp.${got.sessions}`,
  );
  return days.map(({ day }) => new Date(Number(day) * 86_400_000).toISOString().slice(0, 10));
}

/** One for each application. */
function purchasesOf(changes: readonly Change[]): TouchedPurchases[] {
  const byApplication = new Map<string, Change[]>();
  for (const change of changes) {
    if (change.purchasesOf === null) continue;
    byApplication.set(change.purchasesOf, [...(byApplication.get(change.purchasesOf) ?? []), change]);
  }
  return [...byApplication].map(([applicationId, own]) => ({
    applicationId,
    ids: [...new Set(own.flatMap(({ transactions }) => transactions ?? []))],
    lines: [...new Set(own.flatMap(({ lines }) => lines ?? []))],
  }));
}

async function replacePurchases(purchases: TouchedPurchases, spooling: Spool): Promise<void> {
  const { duck, client } = spooling;
  const { applicationId, lines } = purchases;
  const ids = await findTouchedIds(client, purchases);
  const statement = touchedTransactions(applicationId, ids);
  await spoolAll(spooling, { table: got.transactions, columns: transactionColumns, statement });
  await spoolAll(spooling, { table: got.renewals, columns: renewalColumns, statement: touchedRenewals(purchases) });
  await deletePurchases(duck, { applicationId, ids, lines });
  await addTransactions(duck);
  await addRenewals(duck);
}

export async function replaceFirsts(spooling: Spool): Promise<void> {
  await runDuck(spooling.duck, 'DELETE FROM stored.firsts');
  const rows = { table: got.firsts, columns: firstColumns, statement: allFirsts() };
  await spool(spooling, rows, () => addFirsts(spooling.duck));
}
