// The rows of a batch once its sessions are known: events with what their session says of them, counts, and states of devices.
import { eventKey, inKeyOrder, sessionKey, type DeviceRow, type EventRow, type Upload } from '../upload.ts';
import type { AnchoredEvent } from './eventsStore.ts';
import type { CountIncrement, SessionAnchor } from './uploadsStore.ts';

/** Not by flatMap, for which Node 20 takes thirty times as long. */
function eventsOf(uploads: Upload[]): EventRow[] {
  return ([] as EventRow[]).concat(...uploads.map(({ events }) => events));
}

/** An event can come twice in a batch only with its session; each upload by itself has it once. */
export function distinctEvents(uploads: Upload[], sessions: number): EventRow[] {
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
 * A device's uploads are applied one after the other, oldest state first, since each may replace what the one before
 * has set: the first round holds every device's first upload, and nearly always there is no second round.
 */
export function deviceRounds(uploads: Upload[], inserted: EventRow[]): DeviceRow[][] {
  const byDevice = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const own = byDevice.get(upload.device.key);
    if (own) own.push(upload);
    else byDevice.set(upload.device.key, [upload]);
  }
  for (const own of byDevice.values()) own.sort((a, b) => a.device.stateAt - b.device.stateAt);
  const sorted = inKeyOrder(byDevice);
  const removing = new Set(inserted.filter(({ removesProperty }) => removesProperty !== null));
  const rounds: DeviceRow[][] = [];
  for (let due = sorted; due.length > 0; due = due.filter((own) => own.length > rounds.length)) {
    rounds.push(due.map((own) => withRemovals(own[rounds.length]!, removing)));
  }
  return rounds;
}

function withRemovals({ device, events }: Upload, removing: Set<EventRow>): DeviceRow {
  if (device.droppedProperties === null || removing.size === 0) return device;
  const removed = events.flatMap((event) => (removing.has(event) ? [event.removesProperty!] : []));
  return removed.length > 0 ? { ...device, droppedProperties: removed } : device;
}
