// One transaction that stores a batch of uploads: nonces, sessions, events, counts, device state, in this order on every process.
import type { ClientBase } from 'pg';
import { AppError } from '../platform/errors.ts';
import { copyEvents, insertEvents, type AnchoredEvent } from './eventsStore.ts';
import { eventKey, mergeSessions, sessionKey } from './upload.ts';
import type { EventRow, NonceRow, SessionRow, Upload, UploadOutcome } from './upload.ts';
import {
  addCampaignCounts,
  findNonceBodies,
  insertNonces,
  upsertDevices,
  upsertSessions,
  userPropertiesLimit,
  type CountIncrement,
  type SessionAnchor,
} from './uploadsStore.ts';

export interface StoredBatch {
  /** One for each upload, in the order given. */
  outcomes: UploadOutcome[];
  eventsInserted: number;
  eventsDuplicate: number;
}

/** Runs inside the caller's transaction; `uploads` in order of arrival. */
export async function storeUploads(client: ClientBase, uploads: Upload[]): Promise<StoredBatch> {
  const outcomes = await claimNonces(client, uploads);
  const accepted = uploads.filter((_, index) => outcomes[index] === 'stored');
  const sessions = mergedSessions(accepted);
  const anchors = sessions.length > 0 ? await upsertSessions(client, sessions) : new Map<string, SessionAnchor>();
  const inserted = await storeEvents(client, anchoredEvents(distinctEvents(accepted, sessions.length), anchors));
  const increments = countIncrements(inserted);
  if (increments.length > 0) await addCampaignCounts(client, increments);
  await storeDevices(client, accepted, new Set(inserted));
  const sent = accepted.reduce((sum, upload) => sum + upload.events.length, 0);
  return { outcomes, eventsInserted: inserted.length, eventsDuplicate: sent - inserted.length };
}

/** A nonce that comes again with the same body is a retry whose reply was lost; with another body it is a replay. */
async function claimNonces(client: ClientBase, uploads: Upload[]): Promise<UploadOutcome[]> {
  const first = new Map<string, NonceRow>();
  for (const { nonce } of uploads) {
    if (nonce && !first.has(nonceKey(nonce))) first.set(nonceKey(nonce), nonce);
  }
  const rows = sortedBy([...first.values()], nonceKey);
  const isNew = rows.length > 0 ? await insertNonces(client, rows) : [];
  const taken = rows.filter((_, index) => !isNew[index]);
  const bodies = taken.length > 0 ? await findNonceBodies(client, taken) : [];
  const storedBody = new Map(taken.map((row, index) => [nonceKey(row), bodies[index]]));
  return uploads.map(({ nonce }) => {
    if (!nonce) return 'stored';
    const key = nonceKey(nonce);
    const earlier = storedBody.has(key)
      ? storedBody.get(key)
      : first.get(key) === nonce
        ? undefined
        : first.get(key)!.bodyHash;
    if (earlier === undefined) return 'stored';
    return earlier?.equals(nonce.bodyHash) ? 'repeated' : 'nonce_reused';
  });
}

function mergedSessions(uploads: Upload[]): SessionRow[] {
  const merged = new Map<string, SessionRow>();
  for (const session of uploads.flatMap((upload) => upload.sessions)) {
    const key = sessionKey(session, session.id);
    const known = merged.get(key);
    merged.set(key, known ? mergeSessions(known, session) : session);
  }
  return sortedBy([...merged.values()], (row) => sessionKey(row, row.id));
}

/** An event can come twice in a batch only with its session; each upload by itself has it once. */
function distinctEvents(uploads: Upload[], sessions: number): EventRow[] {
  const events = uploads.flatMap((upload) => upload.events);
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

/** Answers those that were not stored before. Their sessions' rows are locked, so their own order does not matter. */
async function storeEvents(client: ClientBase, events: AnchoredEvent[]): Promise<EventRow[]> {
  const fresh = events.filter(({ anchor }) => anchor.isNew);
  const others = events.filter(({ anchor }) => !anchor.isNew);
  if (fresh.length > 0) await copyEvents(client, fresh);
  const inserted = others.length > 0 ? await insertEvents(client, others) : [];
  return [...fresh, ...inserted].map(({ event }) => event);
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
async function storeDevices(client: ClientBase, uploads: Upload[], inserted: Set<EventRow>): Promise<void> {
  const byDevice = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const own = byDevice.get(upload.device.key);
    if (own) own.push(upload);
    else byDevice.set(upload.device.key, [upload]);
  }
  const queues = [...byDevice.values()].map((own) => own.sort((a, b) => a.device.stateAt - b.device.stateAt));
  const sorted = sortedBy(queues, (own) => own[0]!.device.key);
  for (let round = 0; sorted.some((own) => round < own.length); round++) {
    const due = sorted.filter((own) => round < own.length).map((own) => own[round]!);
    const oversized = await upsertDevices(
      client,
      due.map(({ device, events }) => withRemovals(device, events, inserted)),
    );
    if (oversized.length > 0) throw setTooLarge();
  }
}

/** Thrown for the whole batch; the writer halves it until the upload at fault stands alone. */
function setTooLarge(): AppError {
  const message = `would grow the stored set beyond ${userPropertiesLimit} characters of JSON; send the whole set`;
  return new AppError('validation_failed', { fields: [{ path: 'user.properties', message }] });
}

function withRemovals(device: Upload['device'], events: EventRow[], inserted: Set<EventRow>): Upload['device'] {
  if (device.droppedProperties === null) return device;
  const removed = events.flatMap((event) =>
    event.removesProperty !== null && inserted.has(event) ? [event.removesProperty] : [],
  );
  return removed.length > 0 ? { ...device, droppedProperties: removed } : device;
}

function nonceKey({ applicationId, nonce }: NonceRow): string {
  return `${nonce}\0${applicationId}`;
}

function sortedBy<Row>(rows: Row[], key: (row: Row) => string): Row[] {
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}
