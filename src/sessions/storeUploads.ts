// One transaction that stores a batch of uploads: nonces, sessions, events, counts, device state, in this order on every process.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { PipelinedTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { claimUploads } from './claimUploads.ts';
import { copyEvents, eventTexts, insertEvents, insertNewEvents, type AnchoredEvent } from './eventsStore.ts';
import { eventKey, sessionKey, sortedBy } from './upload.ts';
import type { DeviceRow, EventRow, Upload, UploadOutcome } from './upload.ts';
import {
  addCampaignCounts,
  mayOutgrow,
  upsertDevices,
  userPropertiesLimit,
  type CountIncrement,
  type SessionAnchor,
} from './uploadsStore.ts';

export interface StoredBatch {
  /** One for each upload, in the order given. */
  outcomes: UploadOutcome[];
  eventsInserted: number;
}

/**
 * Commits, in two round trips where every nonce is new and no event must be looked up before; `uploads` in order of arrival.
 */
export async function storeUploads(transaction: PipelinedTransaction, uploads: Upload[]): Promise<StoredBatch> {
  // The texts are made while the database claims, and not while it waits to be given them.
  const claiming = claimUploads(transaction, uploads);
  const [{ outcomes, accepted, sessions, anchors }, texts] = await bothEnded(claiming, textsOf(uploads));
  const events = anchoredEvents(distinctEvents(accepted, sessions.length), anchors);
  const { certain, fresh, others } = await storeDecidingEvents(transaction, events);
  const increments = countIncrements(certain);
  const rounds = deviceRounds(accepted, certain);
  const finish = async (client: SqlConnection): Promise<{ inserted: number; oversized: string[] }> => {
    const copying = fresh.length > 0 ? copyEvents(client, fresh, texts) : undefined;
    const inserting = others.length > 0 ? insertEvents(client, others) : 0;
    const counting = increments.length > 0 ? addCampaignCounts(client, increments) : undefined;
    const updating = rounds.map((due) => upsertDevices(client, due));
    const [inserted, oversized] = await Promise.all([inserting, Promise.all(updating), copying, counting]);
    return { inserted, oversized: oversized.flat() };
  };
  const mustLook = rounds.some(mayOutgrow);
  const { inserted, oversized } = await (mustLook
    ? transaction.pipelined(finish)
    : transaction.pipelinedToCommit(finish));
  if (oversized.length > 0) throw setTooLarge();
  return { outcomes, eventsInserted: certain.length + inserted };
}

const textsOf = async (uploads: Upload[]): Promise<Map<EventRow, string>> => eventTexts(eventsOf(uploads));

/** Not by flatMap, for which Node 20 takes thirty times as long. */
function eventsOf(uploads: Upload[]): EventRow[] {
  return ([] as EventRow[]).concat(...uploads.map(({ events }) => events));
}

/** Like Promise.all, but where one fails the other one, which may use the transaction, is not left to go on. */
async function bothEnded<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** An event can come twice in a batch only with its session; each upload by itself has it once. */
function distinctEvents(uploads: Upload[], sessions: number): EventRow[] {
  const events = eventsOf(uploads);
  if (uploads.reduce((sum, upload) => sum + upload.sessions.length, 0) === sessions) return events;
  const distinct = new Map<string, EventRow>();
  for (const event of events) {
    const key = eventKey(event);
    if (!distinct.has(key)) distinct.set(key, event);
  }
  return [...distinct.values()];
}

/** The events of a session stand together, so that nearly every one has the anchor of the one before. */
function anchoredEvents(events: EventRow[], anchors: Map<string, SessionAnchor>): AnchoredEvent[] {
  let last: AnchoredEvent | null = null;
  return events.map((event) => {
    const same = last !== null && last.event.sessionId === event.sessionId && last.event.deviceKey === event.deviceKey;
    const anchor = same ? last!.anchor : anchors.get(sessionKey(event, event.sessionId))!;
    return (last = { event, anchor });
  });
}

interface EventsToStore {
  /** Those that are stored by this transaction for the first time, as far as it is known; `fresh` among them. */
  certain: EventRow[];
  /** Events of new sessions, which cannot have been stored: still to be copied. */
  fresh: AnchoredEvent[];
  /** Events of sessions that were there, on which nothing depends: still to be inserted. */
  others: AnchoredEvent[];
}

/**
 * Inserts, of the events whose session was there before, those that count for a campaign or change a device: they do so
 * only if they are new, which the rest of the transaction has to know. The sessions' rows are locked, so the order of
 * their events does not matter.
 */
async function storeDecidingEvents(transaction: PipelinedTransaction, events: AnchoredEvent[]): Promise<EventsToStore> {
  const fresh = events.filter(({ anchor }) => anchor.isNew);
  const others = events.filter(({ anchor, event }) => !anchor.isNew && !decides(event));
  const deciding = events.filter(({ anchor, event }) => !anchor.isNew && decides(event));
  const added = deciding.length > 0 ? await transaction.pipelined((client) => insertNewEvents(client, deciding)) : [];
  return { certain: [...fresh, ...added].map(({ event }) => event), fresh, others };
}

function decides({ outcomes, removesProperty }: EventRow): boolean {
  return outcomes.length > 0 || removesProperty !== null;
}

function countIncrements(inserted: EventRow[]): CountIncrement[] {
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
 * A device's uploads are applied one after the other, oldest state first, since each may replace what the one before
 * has set: the first round holds every device's first upload, and nearly always there is no second round.
 */
function deviceRounds(uploads: Upload[], inserted: EventRow[]): DeviceRow[][] {
  const byDevice = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const own = byDevice.get(upload.device.key);
    if (own) own.push(upload);
    else byDevice.set(upload.device.key, [upload]);
  }
  const queues = [...byDevice.values()].map((own) => own.sort((a, b) => a.device.stateAt - b.device.stateAt));
  const sorted = sortedBy(queues, (own) => own[0]!.device.key);
  const removing = new Set(inserted.filter(({ removesProperty }) => removesProperty !== null));
  const rounds: DeviceRow[][] = [];
  for (let due = sorted; due.length > 0; due = due.filter((own) => own.length > rounds.length)) {
    rounds.push(due.map((own) => withRemovals(own[rounds.length]!, removing)));
  }
  return rounds;
}

/** Thrown for the whole batch; the writer halves it until the upload at fault stands alone. */
function setTooLarge(): AppError {
  const message = `would make the stored set longer than ${userPropertiesLimit} characters of JSON; send a smaller set as a whole`;
  return new AppError('validation_failed', { fields: [{ path: 'user.properties', message }] });
}

function withRemovals({ device, events }: Upload, removing: Set<EventRow>): DeviceRow {
  if (device.droppedProperties === null || removing.size === 0) return device;
  const removed = events.flatMap((event) => (removing.has(event) ? [event.removesProperty!] : []));
  return removed.length > 0 ? { ...device, droppedProperties: removed } : device;
}
