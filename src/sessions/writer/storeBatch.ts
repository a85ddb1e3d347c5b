// Commits a batch of uploads in one transaction: in one round trip when all of it is new, and by `storeUploads` otherwise.
import type { Pool } from 'pg';
import type { DeviceNodes } from '../../devices/deviceKey.ts';
import { classifyDatabaseError, isLockTimeout } from '../../platform/database/databaseErrors.ts';
import { BinaryRows, copyFrom, sql } from '../../platform/database/sql.ts';
import {
  createPipelinedConnection,
  inTransaction,
  type QueuedTransaction,
  type Transaction,
  type TransactionLimits,
} from '../../platform/database/transaction.ts';
import { hasCode } from '../../platform/errors.ts';
import { type Counted, noQuotas, type Quotas, type UnsignedRequest } from '../../quotas/quotas.ts';
import { deleteSessionsBefore, eventsKeptFrom } from '../upkeep/dropOldEvents.ts';
import { inKeyOrder, type NonceRow, sessionKey, type SessionRow, type Upload } from '../upload.ts';
import { RowsHeld, type StoreBatch, type StoreOptions } from './groupCommit.ts';
import {
  acceptedUploads,
  addCampaignShows,
  type Added,
  addedByNew,
  anchoredEvents,
  countIncrements,
  deviceRounds,
  devicesOf,
  distinctEvents,
  firstNonces,
  type Measured,
  mergedSessions,
  mostBytes,
  outcomesOf,
  shownCampaigns,
  type StoredBatch,
  storeUploads,
} from './storeUploads.ts';
import {
  addCampaignCounts,
  type BatchChange,
  copyEvents,
  deviceRows,
  eventRows,
  logChange,
  mayOutgrow,
  type SessionAnchor,
  upsertDevices,
} from './uploadsStore.ts';

/** Made once for each process: it learns whether batches are new, and keeps a stock of numbers for their sessions. */
export function createBatchStore(pool: Pool, nodes: Pick<DeviceNodes, 'limits'>): StoreBatch {
  const store = createStore(pool);
  return async (uploads, options) => {
    const { limits } = nodes;
    try {
      if (options.held) await tryDevices(pool, uploads);
      return await store(uploads, { ...options, limits });
    } catch (error) {
      if (limits.nodeLockMillis !== undefined && isLockTimeout(error)) throw new RowsHeld(error);
      throw error;
    }
  };
}

/** Uploads of one device seldom meet, so that a free row of a device is hardly ever locked for so long. */
const triedMillis = 100;

/**
 * Fails at rows that are held, a device's first row included, which no other transaction sees. It holds no row of the
 * coordinator while it waits: a campaign's count would keep other batches waiting with it.
 */
async function tryDevices(pool: Pool, uploads: Upload[]): Promise<void> {
  const rows = deviceRows(
    uploads.map(({ device }) => device),
    null,
  );
  const limits = { nodeLockMillis: triedMillis };
  await inTransaction(
    pool,
    async (transaction) => {
      await transaction.pipelined((pipeline) => upsertDevices(pipeline, rows));
      await transaction.rollBack();
    },
    limits,
  );
}

function createStore(pool: Pool) {
  const take = createSessionNumbers();
  const guess = createFastPathPredictor();
  const inLine = createPipelinedConnection(pool);
  return async (uploads: Upload[], options: StoreOptions & { limits: TransactionLimits }): Promise<StoredBatch> => {
    const { apart = false, measured, limits } = options;
    if (apart || !guess.expectsNew()) return storeBatch(pool, uploads, { measured, limits });
    let stored: StoredBatch | 'large';
    try {
      stored = await inLine((transaction) => storeNewUploads(transaction, uploads, take), options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // A failed transaction makes the server skip the one sent behind it, which says nothing of this batch.
      if (!hasCode(error, passedOver)) guess.learn(false);
      return storeBatch(pool, uploads, { measured, limits });
    }
    if (stored === 'large') return storeBatch(pool, uploads, { measured, limits });
    guess.learn(true);
    return stored;
  };
}

/**
 * After any other failure the batch is stored as a known one, and that result counts. Citus passes on the refusal of a
 * shard's key without its code (23505), and the server skips a transaction behind a refused one.
 */
function isOutage(error: unknown): boolean {
  const failure = classifyDatabaseError(error);
  return failure === 'unavailable' || failure === 'conflict';
}

const passedOver = '25P02';

/** PostgreSQL has one code for this and for a CHECK; there is no CHECK on these tables. */
const noPartition = '23514';

/** Stores a batch of which any part may be stored already. Sessions whose events were dropped begin anew. */
export async function storeBatch(
  pool: Pool,
  uploads: Upload[],
  { measured, limits }: { measured?: Measured | undefined; limits?: TransactionLimits } = {},
): Promise<StoredBatch> {
  const store = () => inTransaction(pool, (transaction) => storeUploads(transaction, uploads, measured), limits);
  try {
    return await store();
  } catch (error) {
    if (!hasCode(error, noPartition)) throw error;
    // Too rare for a check beforehand: an SDK sends a session again after weeks, and before its row is deleted.
    if (!(await deleteDroppedSessions(pool, uploads))) throw error;
    return await store();
  }
}

/** Does the work of housekeeping a moment earlier. False when none of these sessions is that old. */
async function deleteDroppedSessions(pool: Pool, uploads: Upload[]): Promise<boolean> {
  const keptFrom = await eventsKeptFrom(pool);
  const sessions = uploads.flatMap((upload) => upload.sessions);
  return keptFrom !== null && (await deleteSessionsBefore(pool, keptFrom, sessions)) > 0;
}

// Stores a batch in one round trip when all nonces and sessions are new, as in most batches. The keys refuse other batches.

/**
 * Resolves after COMMIT. Rejects when a nonce or a session is stored already. Resolves to `large`, and sends nothing,
 * when the stored properties of a device must be checked. The order of the statements is that of `storeUploads`.
 */
export async function storeNewUploads(
  transaction: QueuedTransaction,
  uploads: Upload[],
  take: TakeNumbers,
): Promise<StoredBatch | 'large'> {
  const first = firstNonces(uploads);
  const nonces = inKeyOrder(first);
  const { outcomes, accepted, sessions: sent } = acceptedUploads(uploads, outcomesOf(uploads, first, new Map()));
  const events = distinctEvents(accepted, sent[0]!.length);
  const rounds = deviceRounds(accepted, events);
  if (rounds.some(({ devices }) => mayOutgrow(devices))) return 'large';
  const increments = countIncrements(events);
  const draw: DrawNumbers = (count) => transaction.pipelined((pipeline) => drawSessionNumbers(pipeline, count));
  const { refs, receivedAt } = await take(sent[0]!.length, draw);
  const sessions = mergedSessions(sent, receivedAt);
  const anchors = anchorsOf(sessions, refs, receivedAt);
  const anchored = anchoredEvents(events, anchors);
  const shows = shownCampaigns(events, increments, anchors);
  const isCounted = accepted.some(({ counted }) => counted);
  const numbered = sessions.map((session, index) => ({ session, ref: refs[index]!, receivedAt }));
  // All rows before the pipeline: if making a row failed later, the pipeline would commit without that row.
  const rows = {
    nonces: nonceRows(nonces),
    sessions: newSessionRows(numbered),
    events: eventRows(anchored),
    devices: rounds.map(({ devices }) => deviceRows(devices, receivedAt, isCounted)),
  };
  const stored = await transaction.pipelinedToCommit(async (pipeline) => {
    const inserting = [
      nonces.length > 0 && copyNonces(pipeline, rows.nonces),
      sessions.length > 0 && copySessions(pipeline, rows.sessions),
      events.length > 0 && copyEvents(pipeline, rows.events),
      increments.length > 0 && addCampaignCounts(pipeline, increments),
      shows.length > 0 && addCampaignShows(pipeline, shows, receivedAt),
    ];
    const updating = rows.devices.map((due) => upsertDevices(pipeline, due));
    const logging = sessions.length > 0 && logChange(pipeline, changeOf(numbered));
    const [devices] = await Promise.all([Promise.all(updating), logging, ...inserting]);
    return devices;
  });
  const added = isCounted ? addedByNew(devicesOf(rounds, stored)) : [];
  return { outcomes, eventsInserted: events.length, added };
}

function changeOf(sessions: NumberedSession[]): BatchChange {
  return {
    refs: sessions.map(({ ref }) => ref),
    deviceKeys: sessions.map(({ session }) => session.deviceKey),
  };
}

function anchorsOf(sessions: SessionRow[], refs: number[], receivedAt: number): Map<string, SessionAnchor> {
  const anchoredOn = new Date(receivedAt * 1_000).toISOString().slice(0, 10);
  const anchor = ({ finishedAt }: SessionRow, ref: number): SessionAnchor => ({
    ref: String(ref),
    receivedAt,
    anchoredOn,
    isNew: true,
    isOpen: finishedAt === null,
  });
  return new Map(sessions.map((session, index) => [sessionKey(session, session.id), anchor(session, refs[index]!)]));
}

// The SQL for nonces and sessions that are taken as new: by COPY, so that a stored key refuses the batch.

/** The size of usual rows. The buffer grows for longer rows. */
const expectedBytes = { nonce: 96, session: 160 };

/** Rows for `copyNonces`. The caller makes all rows before the pipeline. */
export function nonceRows(nonces: NonceRow[]): Buffer {
  const rows = new BinaryRows(nonces.length * expectedBytes.nonce);
  for (const { nonce, applicationId, bodyHash } of nonces) {
    rows.row(3);
    rows.text(nonce);
    rows.uuid(applicationId);
    rows.bytes(bodyHash);
  }
  return rows.end();
}

/** Rejects with 23505 when one of them is stored. Waits for a transaction that stores one at the same time. */
export function copyNonces(transaction: Transaction, rows: Buffer): Promise<void> {
  const columns = '(nonce, application_id, body_hash)';
  return copyFrom(transaction, `/* sessions: copyNonces */ COPY nonces ${columns} FROM STDIN (FORMAT binary)`, rows);
}

export interface NumberedSession {
  session: SessionRow;
  ref: number;
  /** Unix seconds. */
  receivedAt: number;
}

/** Rows for `copySessions`. */
export function newSessionRows(sessions: NumberedSession[]): Buffer {
  const rows = new BinaryRows(sessions.length * expectedBytes.session);
  for (const { session, ref, receivedAt } of sessions) {
    rows.row(12);
    rows.uuid(session.deviceKey);
    rows.text(session.id);
    rows.uuid(session.applicationId);
    rows.bigint(ref);
    rows.bigint(session.globalNumber);
    rows.bigint(session.versionNumber);
    rows.timestamptz(session.startedAt);
    if (session.finishedAt === null) rows.null();
    else rows.timestamptz(session.finishedAt);
    rows.timestamptz(receivedAt);
    rows.smallint(session.utcOffsetMinutes);
    if (session.userId === null) rows.null();
    else rows.text(session.userId);
    rows.timestamptz(Math.min(session.userAt, receivedAt));
  }
  return rows.end();
}

const sessionColumns = `(device_key, id, application_id, ref, global_number, version_number, started_at, finished_at,
  received_at, utc_offset_minutes, user_id, user_at)`;

/**
 * Rejects when one of them is stored, with 23505 except on a Citus cluster. Waits for a transaction that stores one at
 * the same time.
 */
export function copySessions(transaction: Transaction, rows: Buffer): Promise<void> {
  return copyFrom(
    transaction,
    `/* sessions: copySessions */ COPY sessions ${sessionColumns} FROM STDIN (FORMAT binary)`,
    rows,
  );
}

export interface DrawnNumbers {
  numbers: number[];
  /** Unix seconds, by the database's clock. */
  now: number;
}

/** Numbers for sessions. The sequence gives each number once. */
export async function drawSessionNumbers(transaction: Transaction, count: number): Promise<DrawnNumbers> {
  const statement = sql`/* sessions: drawSessionNumbers */
    SELECT array_agg(nextval('sessions_ref_seq')) AS numbers, extract(epoch FROM clock_timestamp())::float8 AS now
    FROM generate_series(1, ${count})`;
  const { rows } = await transaction.query<{ numbers: string[]; now: number }>(statement);
  const { numbers, now } = rows[0]!;
  return { numbers: numbers.map(Number), now };
}

// Gives new sessions their numbers and arrival times without a query: from a stock of the sequence's numbers and the database's clock.

export interface Arrivals {
  /** As many as asked for. No number is given twice. */
  refs: number[];
  /** Unix seconds by the database's clock. The session's row and the anchor of its events both have it, so they agree. */
  receivedAt: number;
}

/** One draw takes the database 0.5 ms, once a second at full speed. A process that ends loses the rest of its stock. */
const stockSize = 4_096;
/** The clock is that of the last draw plus the time since. After so long a new draw follows a clock that was set. */
const stockMillis = 60_000;

/** Called where the stock is too small or too old. */
export type DrawNumbers = (count: number) => Promise<DrawnNumbers>;
/** `draw` uses the caller's connection: waiting for a second one while holding a first could block the pool. */
export type TakeNumbers = (count: number, draw: DrawNumbers) => Promise<Arrivals>;

/** Numbers ascend, so that new events land on the right edge of their index. */
export function createSessionNumbers(): TakeNumbers {
  let stock = { numbers: [] as number[], next: 0, now: 0, drawnAt: -Infinity };
  return async (count, draw) => {
    if (stock.numbers.length - stock.next < count || performance.now() - stock.drawnAt > stockMillis) {
      const drawnAt = performance.now();
      const { numbers, now } = await draw(Math.max(stockSize, count));
      stock = { numbers, next: 0, now, drawnAt };
    }
    const refs = stock.numbers.slice(stock.next, (stock.next += count));
    return { refs, receivedAt: stock.now + (performance.now() - stock.drawnAt) / 1_000 };
  };
}

// Guesses whether the next batch holds only new uploads, by how the last guesses turned out.

/** After repeated misses the fast way is tried for one batch in 65. */
const longestPause = 64;

export interface FastPathPredictor {
  /** Asked once for each batch. */
  expectsNew(): boolean;
  /** Called for each batch that was expected to be new. */
  learn(wasNew: boolean): void;
}

/** After each wrong guess in a row, twice as many batches are taken as known. */
export function createFastPathPredictor(): FastPathPredictor {
  let pause = 0;
  let left = 0;
  return {
    expectsNew: () => left-- <= 0,
    learn(wasNew) {
      pause = wasNew ? 0 : Math.min(Math.max(1, pause * 2), longestPause);
      left = pause;
    },
  };
}

// Quotas of uploads: a decorator around the store of batches.

type UploadQuotas = Pick<Quotas, 'admitUploads' | 'withoutReports' | 'addSigned'>;

/**
 * An upload that a quota refuses is left out of its batch, and has the outcome `over_quota`. The admission of an upload is
 * kept in the upload, and not in a Map, for the reason that removeFromArray.ts gives.
 */
export function storeWithinQuotas(store: StoreBatch, quotas: UploadQuotas): StoreBatch {
  if (quotas === noQuotas) return store;
  return async (uploads, options) => {
    const stored = await storeUnsignedWithin(store, quotas, { uploads, options });
    addSigned(uploads, stored, quotas);
    return stored;
  };
}

/**
 * What a signed upload brings counts, also where some of it is stored already: which part, only one more statement could
 * tell. A repeat with the same nonce counts nothing.
 */
function addSigned(uploads: readonly Upload[], { outcomes }: StoredBatch, quotas: UploadQuotas): void {
  const sums: { applicationId: string; bytes: number }[] = [];
  uploads.forEach((upload, index) => {
    if (!upload.device.signed || outcomes[index] !== 'stored') return;
    const { applicationId } = upload.device;
    const sum = sums.find((each) => each.applicationId === applicationId);
    if (sum) sum.bytes += mostBytes(upload);
    else sums.push({ applicationId, bytes: mostBytes(upload) });
  });
  for (const { applicationId, bytes } of sums) quotas.addSigned(applicationId, bytes);
}

interface Batch {
  uploads: Upload[];
  options: StoreOptions;
}

async function storeUnsignedWithin(store: StoreBatch, quotas: UploadQuotas, batch: Batch): Promise<StoredBatch> {
  const { uploads, options } = batch;
  const unsigned = uploads.filter(({ device }) => !device.signed);
  if (unsigned.length === 0) return store(uploads, options);
  const admissions = await quotas.admitUploads(unsigned.map(requestOf));
  unsigned.forEach(({ counted }, index) => (counted!.admission = admissions[index]!));
  try {
    return await storeAdmitted(store, quotas, batch);
  } finally {
    for (const admission of new Set(admissions)) if (typeof admission === 'object') admission.leave();
  }
}

const isRefused = ({ counted }: Upload): boolean => counted?.admission === 'refused';

async function storeAdmitted(
  store: StoreBatch,
  quotas: UploadQuotas,
  { uploads, options }: Batch,
): Promise<StoredBatch> {
  const admitted = uploads.some(isRefused) ? uploads.filter((upload) => !isRefused(upload)) : uploads;
  if (admitted.length === 0) return { outcomes: uploads.map(() => 'over_quota'), eventsInserted: 0 };
  const stored = await store(admitted, options);
  await count(stored.added ?? [], quotas);
  if (admitted === uploads) return stored;
  const outcomes = stored.outcomes.values();
  const outcomeOf = (upload: Upload) => (isRefused(upload) ? 'over_quota' : outcomes.next().value!);
  return { ...stored, outcomes: uploads.map(outcomeOf) };
}

/** A new device counts once, unless it has sent attribution or transactions before. */
async function count(added: readonly Added[], quotas: UploadQuotas): Promise<void> {
  const newKeys = added.filter(({ device }) => device.isNew).map(({ device }) => device.key);
  const strange = newKeys.length > 0 ? await quotas.withoutReports(newKeys) : noKeys;
  const sums: { counted: Counted; bytes: number; devices: number }[] = [];
  for (const { upload, bytes, device } of added) {
    const counted = upload.counted!.admission;
    if (counted === null || typeof counted === 'string' || device.signed) continue;
    let sum = sums.find((each) => each.counted === counted);
    if (!sum) sums.push((sum = { counted, bytes: 0, devices: 0 }));
    sum.bytes += bytes;
    sum.devices += device.isNew && strange.has(device.key) ? 1 : 0;
  }
  for (const { counted, bytes, devices } of sums) counted.added({ bytes, devices });
}

const noKeys: ReadonlySet<string> = new Set();

/** Marks the upload: its store then says what it has added. */
function requestOf(upload: Upload): UnsignedRequest {
  const { applicationId, key: deviceKey } = upload.device;
  const bytes = mostBytes(upload);
  upload.counted = { mostBytes: bytes, admission: null };
  return { applicationId, operation: 'reportSessions', deviceKey, bytes };
}

// A decorator around the store of batches: on a cluster, uploads whose node is there are stored while another node is away.

export type NodesOfDevices = Pick<DeviceNodes, 'someAway' | 'onAwayNodes' | 'lookAfter'>;

/** An upload of a device whose node is away has the outcome `node_away`. Without such a node it sends no statement. */
export function storeBesideAwayNodes(store: StoreBatch, nodes: NodesOfDevices): StoreBatch {
  return async (uploads, options) => {
    if (nodes.someAway) {
      const away = await nodes.onAwayNodes(keysOf(uploads));
      if (away.size > 0) return storeOthers(uploads, away, (others) => store(others, options));
    }
    try {
      return await store(uploads, options);
    } catch (error) {
      // While the coordinator is away, the first error says what is the matter.
      const away = await nodes.lookAfter(error, keysOf(uploads)).catch(() => null);
      if (away === null || (away.size === 0 && !isLostConnection(error))) throw error;
      return storeOthers(uploads, away, (others) => store(others, { ...options, behind: false }));
    }
  };
}

async function storeOthers(
  uploads: Upload[],
  away: ReadonlySet<string>,
  store: (others: Upload[]) => Promise<StoredBatch>,
): Promise<StoredBatch> {
  const others = uploads.filter(({ device }) => !away.has(device.key));
  const stored = others.length > 0 ? await store(others) : { outcomes: [], eventsInserted: 0 };
  const outcomes = stored.outcomes.values();
  return {
    ...stored,
    outcomes: uploads.map(({ device }) => (away.has(device.key) ? 'node_away' : outcomes.next().value!)),
  };
}

const keysOf = (uploads: Upload[]): string[] => uploads.map(({ device }) => device.key);

/** A kept connection to a node that has been away and is there again. Another attempt takes a new one. */
function isLostConnection(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && (code === 'XX000' || code.startsWith('08'));
}
