// From the uploads of a batch to its rows: the outcome of each upload, its sessions, events with their anchors, counts and devices.
import {
  eventKey,
  inKeyOrder,
  mergeSessions,
  sessionKey,
  type DeviceRow,
  type EventRow,
  type NonceRow,
  type SessionRow,
  type Upload,
  type UploadOutcome,
} from '../upload.ts';
import type { AnchoredEvent } from './eventsStore.ts';
import type { ClaimedSession, CountIncrement, SessionAnchor, StoredDevice } from './uploadsStore.ts';

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
