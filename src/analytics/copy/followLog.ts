// Brings a copy up to date with the log of changes: what the log names is fetched as it is now, and replaced as a whole.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClientBase } from 'pg';
import { type CopyFile, readState, restored, writeState } from './copyFile.ts';
import { DuckError, inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import {
  type Change,
  findBegin,
  findChanges,
  findHorizon,
  findLateCommit,
  type Horizon,
  type Stretch,
} from './logStore.ts';
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
import { spool, type Spool, spoolAll } from './source.ts';
import {
  allFirsts,
  deviceColumns,
  eventColumns,
  findTouchedIds,
  firstColumns,
  renewalColumns,
  sessionColumns,
  testDeviceColumns,
  testDevices,
  touchedDevices,
  touchedEvents,
  type TouchedPurchases,
  touchedRenewals,
  touchedSessions,
  type TouchedSessions,
  touchedTransactions,
  transactionColumns,
} from './sourceStore.ts';

export interface Following {
  file: CopyFile;
  client: ClientBase;
  folder: string;
  /** When changes ahead were last applied, in microseconds since 1970; this function sets it. */
  pace: { lookedAhead: bigint };
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

/** So removals leave the copy within a minute, also while a long transaction holds up the log. */
const aheadMicros = 20_000_000n;
const mostAhead = 2_000;

/** What the cursor must not pass yet. */
interface Hold {
  /** Transactions below it are whole. */
  below: bigint;
  /** When the first of those began that have committed and are not below; null without one. */
  since: bigint | null;
}

/**
 * A transaction that has been open for long holds up the log behind it. What has committed since is then applied without
 * moving the cursor past it, and once more when the transaction ends: to apply a change twice does no harm.
 */
function mustLookAhead(since: bigint, now: bigint, { lookedAhead }: Following['pace']): boolean {
  return isLongAgo(since, now) && isLongAgo(lookedAhead, now);
}

/** A time ahead of the clock is of before the clock was set back. */
const isLongAgo = (at: bigint, now: bigint): boolean => now < at || now - at > aheadMicros;

/**
 * Rows and cursor are in one transaction of DuckDB. Rows are fetched after the log was read, and so may be newer than
 * the log row that names them: the log row of the newer change fetches and replaces them once more. So each row is in the
 * copy once, in whatever order the transactions committed and wherever either side was cut off.
 */
export async function followLog({ file, client, folder, pace }: Following): Promise<Followed> {
  const state = (await readState(file))!;
  const horizon = await findHorizon(client);
  // A pooler may keep this connection while the server behind it is restored.
  if (horizon.next < state.seenXid) throw new DuckError(restored);
  // Before an `asOf` of this horizon is said: a list that was changed earlier is in every response of it.
  if (file.testLists !== horizon.testLists) {
    await followTestDevices({ client, duck: file.duck, folder });
    file.testLists = horizon.testLists;
  }
  const found = await findChanges(client, { from: state.nextXid, below: horizon.below, most: mostChanges });
  const hold = await findHold(client, horizon, state.nextXid);
  const changes = found.changes.filter(({ xid }) => xid < hold.below);
  const more = found.more && changes.length === found.changes.length;
  const ahead = hold.since !== null;
  const nextXid = more ? changes.at(-1)!.xid + 1n : hold.below;
  if (!more && hold.since !== null && mustLookAhead(hold.since, horizon.now, pace)) {
    changes.push(...(await changesAhead(client, { from: hold.below, below: horizon.next })));
    pace.lookedAhead = horizon.now;
  }
  const asOf = more ? state.asOf : (hold.since ?? horizon.now);
  // A commit of DuckDB waits for the disk. An idle copy makes one now and then, for its age and its place in the log.
  if (changes.length === 0 && asOf >= state.asOf && asOf - state.asOf < idleMicros) return { asOf, more, ahead };
  await inDuckTransaction(file.duck, async () => {
    const removed = await applyChanges(changes, { client, duck: file.duck, folder });
    const removedSince = state.removedSince ?? (removed ? horizon.now : null);
    await writeState(file, { nextXid, asOf, seenXid: horizon.next, removedSince });
  });
  return { asOf, more, ahead };
}

/** Asked after the log was read: what commits later is not among what was read. */
async function findHold(client: ClientBase, { isCluster, below, aheadSince }: Horizon, from: bigint): Promise<Hold> {
  const late = isCluster ? await findLateCommit(client, from) : null;
  if (late === null || late >= below) return { below, since: aheadSince };
  return { below: late, since: await findBegin(client, late) };
}

/** The first of them, and every removal among the rest. */
async function changesAhead(client: ClientBase, stretch: Omit<Stretch, 'most'>): Promise<Change[]> {
  const further = { ...stretch, most: mostAhead };
  const { changes, more } = await findChanges(client, further);
  if (!more) return changes;
  return [...changes, ...(await findChanges(client, { ...further, removals: true })).changes];
}

// Applies rows of the log to the copy, within the transaction of DuckDB that moves the cursor past them.

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
