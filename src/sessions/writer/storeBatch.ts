// Commits a batch of uploads in one transaction: in one round trip where all of it is new, and in two or more otherwise.
import type { Pool } from 'pg';
import type { DeviceNodes } from '../../devices/deviceKey.ts';
import { classifyDatabaseError, isLockTimeout } from '../../platform/database/databaseErrors.ts';
import {
  createPipelinedConnection,
  inTransaction,
  type PipelinedTransaction,
  type QueuedTransaction,
  type Transaction,
  type TransactionLimits,
} from '../../platform/database/transaction.ts';
import { AppError, hasCode } from '../../platform/errors.ts';
import { deleteSessionsBefore, eventsKeptFrom } from '../upkeep/dropOldEvents.ts';
import {
  type DeviceRow,
  eventKey,
  type EventRow,
  inKeyOrder,
  mergeSessions,
  type NonceRow,
  sessionKey,
  type SessionRow,
  type Upload,
  type UploadOutcome,
} from '../upload.ts';
import {
  type Added,
  type Measured,
  RowsHeld,
  type StoreBatch,
  type StoredBatch,
  type StoreOptions,
} from './groupCommit.ts';
import {
  addCampaignCounts,
  addCampaignShows,
  type AnchoredEvent,
  type BatchChange,
  type ClaimedSession,
  copyEvents,
  copyNonces,
  copySessions,
  type CountIncrement,
  deviceRows,
  type DrawnNumbers,
  drawSessionNumbers,
  eventInsertion,
  eventRows,
  findNonceBodies,
  insertEvents,
  insertNewEvents,
  insertNewNonces,
  insertNonces,
  logChange,
  mayOutgrow,
  newSessionRows,
  nonceRows,
  type SessionAnchor,
  type ShowIncrement,
  type StoredDevice,
  upsertDevices,
  upsertSessions,
  userPropertiesLimit,
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
  const predictor = createFastPathPredictor();
  const run = createPipelinedConnection(pool);
  return async (uploads: Upload[], options: StoreOptions & { limits: TransactionLimits }): Promise<StoredBatch> => {
    const { apart = false, measured, limits } = options;
    if (apart || !predictor.expectsNew()) return storeBatch(pool, uploads, { measured, limits });
    let stored: StoredBatch | 'large';
    try {
      stored = await run((transaction) => storeNewUploads(transaction, uploads, take), options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // A failed transaction makes the server skip the one sent behind it, which says nothing of this batch.
      if (!hasCode(error, skippedByServer)) predictor.learn(false);
      return storeBatch(pool, uploads, { measured, limits });
    }
    if (stored === 'large') return storeBatch(pool, uploads, { measured, limits });
    predictor.learn(true);
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

const skippedByServer = '25P02';

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
  const change = changeOf(anchors);
  const stored = await transaction.pipelinedToCommit(async (pipeline) => {
    const inserting = [
      nonces.length > 0 && copyNonces(pipeline, rows.nonces),
      sessions.length > 0 && copySessions(pipeline, rows.sessions),
      events.length > 0 && copyEvents(pipeline, rows.events),
      increments.length > 0 && addCampaignCounts(pipeline, increments),
      shows.length > 0 && addCampaignShows(pipeline, shows, receivedAt),
    ];
    const updating = rows.devices.map((due) => upsertDevices(pipeline, due));
    const logging = sessions.length > 0 && logChange(pipeline, change);
    const [devices] = await Promise.all([Promise.all(updating), logging, ...inserting]);
    return devices;
  });
  const added = isCounted ? addedByNew(devicesOf(rounds, stored)) : [];
  return { outcomes, eventsInserted: events.length, added };
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

// Stores a batch of which any part may be stored already: nonces, sessions, events, counts, device state, in this order on every process.

/**
 * Resolves after COMMIT, in two round trips when every nonce is new and no event must be looked up first. `uploads` are
 * in order of arrival.
 */
export async function storeUploads(
  transaction: PipelinedTransaction,
  uploads: Upload[],
  measured?: Measured,
): Promise<StoredBatch> {
  const { outcomes, accepted, sessions, anchors } = await claimUploads(transaction, uploads);
  const events = anchoredEvents(distinctEvents(accepted, sessions[0]!.length), anchors);
  const asked = accepted.filter(({ mayBeReplay, counted }) => mayBeReplay || counted);
  const suspects = new Set(asked.flatMap((upload) => upload.events.map(eventKey)));
  const { certain, fresh, others } = await storeDecidingEvents(transaction, events, suspects);
  const increments = countIncrements(certain);
  const shows = shownCampaigns(certain, increments, anchors);
  const current = withoutReplays(accepted, anchors, certain);
  const isCounted = current.some(({ counted }) => counted);
  const rounds = deviceRounds(current, certain);
  const devices = rounds.map((round) => deviceRows(round.devices, null, isCounted));
  const rows = { fresh: eventRows(fresh), others: eventInsertion(others) };
  const change = changeOf(anchors);
  const finish = async (pipeline: Transaction): Promise<{ inserted: number; stored: StoredDevice[][] }> => {
    const copying = fresh.length > 0 ? copyEvents(pipeline, rows.fresh) : undefined;
    const inserting = others.length > 0 ? insertEvents(pipeline, rows.others) : 0;
    const counting = increments.length > 0 ? addCampaignCounts(pipeline, increments) : undefined;
    const showing = shows.length > 0 ? addCampaignShows(pipeline, shows, null) : undefined;
    const late = lateSessions(current).map((due) => upsertSessions(pipeline, due));
    const updating = devices.map((due) => upsertDevices(pipeline, due));
    const logging = anchors.size > 0 ? logChange(pipeline, change) : undefined;
    const rest = [copying, counting, showing, logging, ...late];
    const [inserted, stored] = await Promise.all([inserting, Promise.all(updating), ...rest]);
    return { inserted, stored };
  };
  const mustLook = devices.some(({ growing }) => growing);
  const { inserted, stored } = await (mustLook ? transaction.pipelined(finish) : transaction.pipelinedToCommit(finish));
  const lengths = stored.flat().map(({ key, characters }) => ({ key, characters: characters ?? 0 }));
  for (const { key, characters } of lengths) if (characters > 0) measured?.(key, characters);
  if (lengths.some(({ characters }) => characters > userPropertiesLimit)) throw setTooLarge();
  const added = isCounted ? addedByUploads(devicesOf(rounds, stored), anchors, certain) : [];
  return { outcomes, eventsInserted: certain.length + inserted, added };
}

/** Each session of the batch, stored or merged. */
function changeOf(anchors: ReadonlyMap<string, SessionAnchor>): BatchChange {
  const all = [...anchors.entries()];
  return {
    refs: all.map(([, { ref }]) => ref),
    deviceKeys: all.map(([key]) => key.slice(0, key.indexOf('\0'))),
  };
}

interface EventsToStore {
  /** Events that are known to be new; `fresh` among them. */
  certain: EventRow[];
  /** Events of new sessions, which cannot be stored yet: still to be copied. */
  fresh: AnchoredEvent[];
  /** Events of known sessions that count for no campaign and change no device: still to be inserted. */
  others: AnchoredEvent[];
}

/**
 * Inserts the events of known sessions that count for a campaign or change a device, and the events of uploads that may
 * be replays or that a quota counts (`suspects`, by their keys). Only new events count and change a device, so the rest of the transaction must know which
 * events are new. The rows of their sessions are locked, so the order of the events does not matter.
 */
async function storeDecidingEvents(
  transaction: PipelinedTransaction,
  events: AnchoredEvent[],
  suspects: ReadonlySet<string>,
): Promise<EventsToStore> {
  const fresh = events.filter(({ anchor }) => anchor.isNew);
  const isDeciding = (event: EventRow): boolean =>
    decides(event) || (suspects.size > 0 && suspects.has(eventKey(event)));
  const others = events.filter(({ anchor, event }) => !anchor.isNew && !isDeciding(event));
  const deciding = events.filter(({ anchor, event }) => !anchor.isNew && isDeciding(event));
  const added =
    deciding.length > 0 ? await transaction.pipelined((pipeline) => insertNewEvents(pipeline, deciding)) : [];
  return { certain: [...fresh, ...added].map(({ event }) => event), fresh, others };
}

function decides({ outcomes, removesProperty }: EventRow): boolean {
  return outcomes.length > 0 || removesProperty !== null;
}

/** Thrown for the whole batch. The writer halves the batch until the upload at fault is alone. */
function setTooLarge(): AppError {
  const message = `would make the stored set longer than ${userPropertiesLimit} characters of JSON; send a smaller set as a whole`;
  return new AppError('validation_failed', { fields: [{ path: 'user.properties', message }] });
}

// The beginning of a batch's transaction: which uploads are to be stored, by their nonces, and the rows of their sessions.

export interface ClaimedUploads extends AcceptedUploads {
  anchors: Map<string, SessionAnchor>;
}

/**
 * Takes every nonce as new, as nearly all are, and stores the sessions with them. When a nonce is known, it begins
 * again.
 */
export async function claimUploads(transaction: PipelinedTransaction, uploads: Upload[]): Promise<ClaimedUploads> {
  const first = firstNonces(uploads);
  const nonces = inKeyOrder(first);
  const hoped = acceptedUploads(uploads, outcomesOf(uploads, first, new Map()));
  const { allNew, anchors } = await transaction.pipelined(async (pipeline) => {
    const claiming = nonces.length > 0 ? insertNewNonces(pipeline, nonces) : true;
    const [allNew, anchors] = await Promise.all([claiming, storeSessions(pipeline, hoped)]);
    return { allNew, anchors };
  });
  if (allNew) return { ...hoped, anchors };
  await transaction.rollBack();
  return claimAfterLook(transaction, uploads, { first, nonces });
}

/** One round trip after the other: a refused upload must not store anything. */
async function claimAfterLook(
  transaction: PipelinedTransaction,
  uploads: Upload[],
  { first, nonces }: { first: ReadonlyMap<string, NonceRow>; nonces: NonceRow[] },
): Promise<ClaimedUploads> {
  const isNew = await transaction.pipelined((pipeline) => insertNonces(pipeline, nonces));
  const taken = nonces.filter((_, index) => !isNew[index]);
  const bodies = taken.length > 0 ? await transaction.pipelined((pipeline) => findNonceBodies(pipeline, taken)) : [];
  const stored = new Map(taken.map((nonce, index) => [nonceKey(nonce), bodies[index]!]));
  const claimed = acceptedUploads(uploads, outcomesOf(uploads, first, stored));
  return { ...claimed, anchors: await transaction.pipelined((pipeline) => storeSessions(pipeline, claimed)) };
}

/** One statement a round: none may change a row twice. The first round tells which sessions were new. */
async function storeSessions(transaction: Transaction, uploads: AcceptedUploads): Promise<Map<string, SessionAnchor>> {
  const [anchors] = await Promise.all(
    claimedSessions(uploads).map(async (rows) =>
      rows.length > 0 ? upsertSessions(transaction, rows) : new Map<string, SessionAnchor>(),
    ),
  );
  return anchors!;
}

// Numbers and arrival times of new sessions without a query: a stock of the sequence's numbers, and the database's clock.

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

// Predicts whether the next batch holds only new uploads, from the outcome of the last predictions.

/** After repeated misses the fast way is tried for one batch in 65. */
const longestPause = 64;

export interface FastPathPredictor {
  /** Asked once for each batch. */
  expectsNew(): boolean;
  /** Called for each batch that was expected to be new. */
  learn(wasNew: boolean): void;
}

/** After each wrong prediction in a row, twice as many batches go the slow way. */
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

// From the uploads of a batch to its rows: the outcome of each upload, its sessions, events with their anchors, counts and devices.

export interface AcceptedUploads {
  /** One for each upload of the batch. */
  outcomes: UploadOutcome[];
  accepted: Upload[];
  /** Sorted and unique by device and id in each round. The first round holds every session; there is hardly ever a second. */
  sessions: SessionRow[][];
}

/** The first row of each nonce, by its key. */
export function firstNonces(uploads: Upload[]): Map<string, NonceRow> {
  const first = new Map<string, NonceRow>();
  for (const { nonce } of uploads) {
    if (!nonce) continue;
    const key = nonceKey(nonce);
    if (!first.has(key)) first.set(key, nonce);
  }
  return first;
}

/** A repeated nonce with the same body is a retry whose response was lost. With another body it is a replay. */
export function outcomesOf(
  uploads: Upload[],
  first: ReadonlyMap<string, NonceRow>,
  stored: ReadonlyMap<string, Buffer | null>,
): UploadOutcome[] {
  // Nearly always true. Then no key is made.
  if (stored.size === 0 && first.size === uploads.length) return uploads.map(() => 'stored');
  return uploads.map(({ nonce }) => {
    if (!nonce) return 'stored';
    const key = nonceKey(nonce);
    const earlier = stored.has(key) ? stored.get(key) : first.get(key) === nonce ? undefined : first.get(key)!.bodyHash;
    if (earlier === undefined) return 'stored';
    return earlier?.equals(nonce.bodyHash) ? 'repeated' : 'nonce_reused';
  });
}

export function acceptedUploads(uploads: Upload[], outcomes: UploadOutcome[]): AcceptedUploads {
  const accepted = uploads.filter((_, index) => outcomes[index] === 'stored');
  return { outcomes, accepted, sessions: sessionRounds(accepted) };
}

/** In rounds, because only PostgreSQL knows the first arrival of a stored session, by which two entries merge. */
function sessionRounds(uploads: Upload[]): SessionRow[][] {
  const rounds = [new Map<string, SessionRow>()];
  for (const session of uploads.flatMap((upload) => upload.sessions)) {
    const key = sessionKey(session, session.id);
    let round = rounds.find((earlier) => !earlier.has(key));
    if (!round) rounds.push((round = new Map<string, SessionRow>()));
    round.set(key, session);
  }
  return rounds.map(inKeyOrder);
}

/**
 * Of an upload that may be a replay, a stored session takes neither user nor finish before it is known that the upload is
 * none. Its numbers and its start cannot change what they have changed before.
 */
export function claimedSessions({ accepted, sessions }: AcceptedUploads): ClaimedSession[][] {
  const late = new Set(accepted.flatMap((upload) => (upload.mayBeReplay ? upload.sessions : [])));
  if (late.size === 0) return sessions;
  return sessions.map((round) =>
    round.map((session) => (late.has(session) ? { ...session, finishedAt: null, userAt: null } : session)),
  );
}

/** What `claimedSessions` has left out of these uploads, none of which is a replay. Hardly ever a round. */
export function lateSessions(uploads: Upload[]): SessionRow[][] {
  const late = uploads.filter(({ mayBeReplay }) => mayBeReplay);
  return late.length > 0 ? sessionRounds(late) : [];
}

/** The sessions of the first round, merged with those of the others, where all are new. */
export function mergedSessions([first = [], ...others]: SessionRow[][], receivedAt: number): SessionRow[] {
  if (others.length === 0) return first;
  const merged = new Map(first.map((session) => [sessionKey(session, session.id), session]));
  for (const session of others.flat()) {
    const key = sessionKey(session, session.id);
    merged.set(key, mergeSessions(merged.get(key)!, session, receivedAt));
  }
  return [...merged.values()];
}

export function nonceKey({ applicationId, nonce }: NonceRow): string {
  return `${nonce}\0${applicationId}`;
}

/** Not by flatMap: Node 20 takes thirty times as long for it. */
function eventsOf(uploads: Upload[]): EventRow[] {
  return ([] as EventRow[]).concat(...uploads.map(({ events }) => events));
}

/** Each upload has an event once, so an event comes twice in a batch only with its session. */
export function distinctEvents(uploads: Upload[], sessions: number): EventRow[] {
  const events = eventsOf(uploads);
  if (uploads.reduce((sum, upload) => sum + upload.sessions.length, 0) === sessions) return events;
  const distinct = new Map<string, EventRow>();
  const placesTaken = new Map<string, number>();
  for (const event of events) {
    const key = eventKey(event);
    if (distinct.has(key)) continue;
    // Uploads of one transaction have one time of arrival, so that only the place can tell their order.
    const session = sessionKey(event, event.sessionId);
    const place = placesTaken.get(session) ?? 0;
    placesTaken.set(session, place + 1);
    distinct.set(key, { ...event, place });
  }
  return [...distinct.values()];
}

/** The events of a session are adjacent, so nearly every event has the same anchor as the event before. */
export function anchoredEvents(events: EventRow[], anchors: Map<string, SessionAnchor>): AnchoredEvent[] {
  let last: AnchoredEvent | null = null;
  return events.map((event) => {
    const same = last !== null && last.event.sessionId === event.sessionId && last.event.deviceKey === event.deviceKey;
    const anchor = same ? last!.anchor : anchors.get(sessionKey(event, event.sessionId))!;
    return (last = { event, anchor });
  });
}

export function countIncrements(inserted: EventRow[]): CountIncrement[] {
  const increments = new Map<string, CountIncrement>();
  for (const { applicationId, outcomes } of inserted) {
    for (const { campaignId, outcome } of outcomes) {
      const key = `${campaignId}\0${outcome}\0${applicationId}`;
      const known = increments.get(key);
      if (known) known.count += 1;
      else increments.set(key, { campaignId, outcome, applicationId, count: 1 });
    }
  }
  return [...increments.values()];
}

/**
 * A replay whose nonce is forgotten changes no state (openapi.yaml, "User and device state"). With its time alone it
 * would: it may be from the same second as the stored state, or from a clock that was fast.
 */
export function withoutReplays(
  uploads: Upload[],
  anchors: ReadonlyMap<string, SessionAnchor>,
  inserted: EventRow[],
): Upload[] {
  if (!uploads.some(({ mayBeReplay }) => mayBeReplay)) return uploads;
  const added = new Set(inserted);
  return uploads.filter(
    ({ mayBeReplay, sessions, events }) =>
      !mayBeReplay ||
      sessions.some((session) => addsTo(anchors.get(sessionKey(session, session.id))!, session)) ||
      events.some((event) => added.has(event)),
  );
}

/** A new session, or the first finish of a session: a replay finds its finish stored, and a finish never goes again. */
function addsTo({ isNew, isOpen }: SessionAnchor, { finishedAt }: SessionRow): boolean {
  return isNew || (isOpen && finishedAt !== null);
}

/** An upload of each device and its row, in the order of the devices' keys. */
export interface DeviceRound {
  uploads: Upload[];
  devices: DeviceRow[];
}

/**
 * The uploads of a device are applied one after the other, oldest state first, because each may replace values of the
 * upload before. The first round holds the first upload of every device; there is hardly ever a second round.
 */
export function deviceRounds(uploads: Upload[], inserted: EventRow[]): DeviceRound[] {
  const byDevice = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const own = byDevice.get(upload.device.key);
    if (own) own.push(upload);
    else byDevice.set(upload.device.key, [upload]);
  }
  for (const own of byDevice.values()) own.sort((a, b) => a.device.stateAt - b.device.stateAt);
  const sorted = inKeyOrder(byDevice);
  const removing = new Set(inserted.filter(({ removesProperty }) => removesProperty !== null));
  const rounds: DeviceRound[] = [];
  for (let due = sorted; due.length > 0; due = due.filter((own) => own.length > rounds.length)) {
    const round = due.map((own) => own[rounds.length]!);
    rounds.push({ uploads: round, devices: round.map((upload) => withRemovals(upload, removing)) });
  }
  return rounds;
}

/** Each upload with what became of its device. `stored` has the devices of each round, in any order. */
export function devicesOf(rounds: DeviceRound[], stored: StoredDevice[][]): [Upload, StoredDevice][] {
  return rounds.flatMap(({ uploads }, round) => {
    const inOrder = [...stored[round]!].sort((one, other) => (one.key < other.key ? -1 : 1));
    return uploads.map((upload, place): [Upload, StoredDevice] => [upload, inOrder[place]!]);
  });
}

function withRemovals({ device, events }: Upload, removing: Set<EventRow>): DeviceRow {
  if (device.droppedProperties === null || removing.size === 0) return device;
  const removed = events.flatMap((event) => (removing.has(event) ? [event.removesProperty!] : []));
  return removed.length > 0 ? { ...device, droppedProperties: removed } : device;
}

// How often the devices of a batch have shown which campaign (pure).

/** Sorted. `increments` are those of `inserted`: without a show among them, the events are not looked at. */
export function shownCampaigns(
  inserted: readonly EventRow[],
  increments: readonly CountIncrement[],
  anchors: ReadonlyMap<string, SessionAnchor>,
): ShowIncrement[] {
  if (!increments.some(({ outcome }) => outcome === 'shown')) return [];
  const shows = new Map<string, ShowIncrement>();
  for (const event of inserted) {
    for (const { campaignId, outcome } of event.outcomes) {
      if (outcome !== 'shown') continue;
      const { applicationId, deviceKey } = event;
      const { anchoredOn } = anchors.get(sessionKey(event, event.sessionId))!;
      const key = `${campaignId}\0${deviceKey}`;
      const known = shows.get(key);
      if (!known) shows.set(key, { campaignId, applicationId, deviceKey, shows: 1, anchoredOn });
      else {
        known.shows += 1;
        if (anchoredOn < known.anchoredOn) known.anchoredOn = anchoredOn;
      }
    }
  }
  return [...shows.keys()].sort().map((key) => shows.get(key)!);
}

// What an upload adds to the tables, as quotas count it (pure; openapi.yaml, "Quotas").

/** Columns, keys and the fixed part of each row, beside its texts. */
const fixed = { device: 800, session: 400, event: 150 };

/** Where all of it is new. */
export function mostBytes({ device, sessions, events }: Pick<Upload, 'device' | 'sessions' | 'events'>): number {
  return bytesOfState(device) + bytesOfRows(sessions, events);
}

/** Of uploads whose sessions were all new. */
export function addedByNew(uploads: readonly [Upload, StoredDevice][]): Added[] {
  return uploads.flatMap(([upload, device]) => {
    if (!upload.counted) return [];
    const { mostBytes: most } = upload.counted;
    return [{ upload, device, bytes: device.stateRepeated ? most - bytesOfState(upload.device) : most }];
  });
}

/** `inserted` has each event of uploads with `counted` that was new. */
export function addedByUploads(
  uploads: readonly [Upload, StoredDevice][],
  anchors: ReadonlyMap<string, SessionAnchor>,
  inserted: readonly EventRow[],
): Added[] {
  const isNew = new Set(inserted.map(eventKey));
  return uploads.flatMap(([upload, device]) => {
    if (!upload.counted) return [];
    const sessions = upload.sessions.filter((session) => anchors.get(sessionKey(session, session.id))!.isNew);
    const events = upload.events.filter((event) => isNew.has(eventKey(event)));
    const state = device.stateRepeated ? 0 : bytesOfState(upload.device);
    return [{ upload, device, bytes: state + bytesOfRows(sessions, events) }];
  });
}

function bytesOfRows(sessions: readonly SessionRow[], events: readonly EventRow[]): number {
  let bytes = 0;
  for (const { id, userId } of sessions)
    bytes += fixed.session + 2 * Buffer.byteLength(id) + Buffer.byteLength(userId ?? '');
  for (const { id, name, params } of events)
    bytes += fixed.event + 2 * Buffer.byteLength(id) + Buffer.byteLength(name) + params.length;
  return bytes;
}

function bytesOfState({ id, properties, userProperties }: DeviceRow): number {
  return fixed.device + 2 * Buffer.byteLength(id) + Buffer.byteLength(properties) + Buffer.byteLength(userProperties);
}
