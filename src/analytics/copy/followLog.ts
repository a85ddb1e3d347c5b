// Brings a copy up to date with the log of changes: what the log names is fetched as it is now, and replaced as a whole.
import type { ClientBase } from 'pg';
import { findIncomplete, mayBeUnderWay } from './countRows.ts';
import { readState, writeState, type CopyFile } from './copyFile.ts';
import { applyChanges, followTestDevices } from './applyChanges.ts';
import { DuckError, inDuckTransaction } from './duck.ts';
import { findChanges, findHorizon, type Change, type Horizon } from './logStore.ts';
import { restored } from './openCopy.ts';

export interface Following {
  file: CopyFile;
  client: ClientBase;
  folder: string;
  /** Whether rows are counted against the log: on a cluster. */
  counts: boolean;
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

/** Rolls back the copy's transaction: the same rows of the log are read again. */
class NotYetVisible extends Error {}

/** Rows of the log in one transaction of DuckDB: about two seconds of 10,000 events each. */
const mostChanges = 200;
const idleMicros = 30_000_000n;

/** A minute's removals are out, whatever holds up the horizon. */
const aheadMicros = 20_000_000n;
const mostAhead = 2_000;

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
export async function followLog({ file, client, folder, counts, pace }: Following): Promise<Followed> {
  const state = (await readState(file))!;
  const horizon = await findHorizon(client);
  // A pooler may keep this connection while the server behind it is restored.
  if (horizon.next < state.seenXid) throw new DuckError(restored);
  // Before an `asOf` of this horizon is said: a list that was changed earlier is in every response of it.
  if (file.testLists !== horizon.testLists) {
    await followTestDevices({ client, duck: file.duck, folder });
    file.testLists = horizon.testLists;
  }
  const { changes, more } = await findChanges(client, { from: state.nextXid, below: horizon.below, most: mostChanges });
  const ahead = horizon.aheadSince !== null;
  if (!more && horizon.aheadSince !== null && mustLookAhead(horizon.aheadSince, horizon.now, pace)) {
    changes.push(...(await changesAhead(client, horizon)));
    pace.lookedAhead = horizon.now;
  }
  const asOf = more ? state.asOf : (horizon.aheadSince ?? horizon.now);
  // A commit of DuckDB waits for the disk. An idle copy makes one now and then, for its age and its place in the log.
  if (changes.length === 0 && asOf >= state.asOf && asOf - state.asOf < idleMicros) return { asOf, more, ahead };
  const nextXid = more ? changes.at(-1)!.xid + 1n : horizon.below;
  const undecided = { asOf: state.asOf, more: false, ahead: true };
  if (counts && (await mayBeUnderWay(client, changes, horizon.now))) return undecided;
  const apply = async (): Promise<void> => {
    const removed = await applyChanges(changes, { client, duck: file.duck, folder });
    if (counts && (await findIncomplete(file.duck, changes, horizon.now))) throw new NotYetVisible();
    const removedSince = state.removedSince ?? (removed ? horizon.now : null);
    await writeState(file, { nextXid, asOf, seenXid: horizon.next, removedSince });
  };
  try {
    await inDuckTransaction(file.duck, apply);
  } catch (error) {
    if (!(error instanceof NotYetVisible)) throw error;
    return undecided;
  }
  return { asOf, more, ahead };
}

/** The first of them, and every removal among the rest. */
async function changesAhead(client: ClientBase, { below, next }: Horizon): Promise<Change[]> {
  const further = { from: below, below: next, most: mostAhead };
  const { changes, more } = await findChanges(client, further);
  if (!more) return changes;
  return [...changes, ...(await findChanges(client, { ...further, removals: true })).changes];
}
