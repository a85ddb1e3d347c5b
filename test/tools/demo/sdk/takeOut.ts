// Takes out of an upload what a 422 names, and keeps it: openapi.yaml, "Take out what a 422 names".
import { acknowledgeBatch, dropSentSessions, type DeviceStore } from './deviceStore.ts';
import { partOf, type FieldError, type OptionalField, type RefusedPart } from './refusedPart.ts';
import { isRemoval, loseTrack, type UserState } from './userState.ts';
import type { Session, SessionEvent, SessionReport } from './wire.ts';

/** The latest entries stay: openapi.yaml, "Recommended settings". */
const mostKept = 1_000;

export interface RefusedUpload {
  store: DeviceStore;
  user: UserState;
  /** As it was sent: the paths count in it. Its events are those of the store. */
  report: SessionReport;
}

export interface Remainder {
  /** To be sent again; empty when nothing is left. */
  sessions: Session[];
  /** Whether the SDK uploads no sessions until the next start. */
  held: boolean;
}

export function takeOut(fields: FieldError[], upload: RefusedUpload): Remainder {
  const { report, store, user } = upload;
  const named = fields.map((field) => ({ ...field, part: partOf(field.path) }));
  const everything = named.find(({ part }) => part.kind === 'everything');
  if (everything) {
    setBatchAside(upload, everything);
    return { sessions: [], held: false };
  }
  const sessions = new Set<Session>();
  const events = new Set<SessionEvent>();
  for (const { part, ...field } of named) {
    const value = partIn(report, part);
    if (part.kind === 'session' && value) noteOnce(store, { ...field, value }, sessions);
    else if (part.kind === 'event' && value) noteOnce(store, { ...field, value }, events);
    else if (part.kind === 'optional') leaveOut(part.path, { ...field, value }, upload);
    else takeOutProperties(part, field, upload);
  }
  const gone = [...events, ...[...sessions].flatMap((session) => session.events ?? [])];
  if (gone.some(isRemoval)) loseTrack(user);
  for (const session of sessions) dropSession(store, session);
  dropEvents(store, events);
  // A list without a known path would lead to the same response for ever.
  const held =
    named.every(({ part }) => (partIn(report, part) ?? null) === null) ||
    named.some(({ part }) => part.kind === 'required');
  return {
    sessions: withoutEvents(
      report.sessions.filter((session) => !sessions.has(session)),
      events,
    ),
    held,
  };
}

/** Call it also for one event that is too large: 413. */
export function setBatchAside({ store, user, report }: RefusedUpload, { path, message }: FieldError): void {
  acknowledgeBatch(store, report.sessions);
  if (report.sessions.some(({ events = [] }) => events.some(isRemoval))) loseTrack(user);
  keep(store, { path, message, value: report.sessions });
}

function partIn({ user, device, sessions }: SessionReport, part: RefusedPart): unknown {
  if (part.kind === 'event') return sessions[part.session]?.events?.[part.event];
  if (part.kind === 'session') return sessions[part.session];
  if (part.kind === 'property') return user.properties?.[part.index];
  if (part.kind === 'properties') return user.properties;
  if (part.kind !== 'optional') return undefined;
  const [, field] = /(\w+)$/.exec(part.path)!;
  const holder = part.path.startsWith('user.') ? user : device.properties;
  return (holder as Record<string, unknown>)[field!];
}

/** Several fields of one event or session are kept once. */
function noteOnce<Item>(store: DeviceStore, entry: FieldError & { value: unknown }, seen: Set<Item>): void {
  if (!seen.has(entry.value as Item)) keep(store, entry);
  seen.add(entry.value as Item);
}

function leaveOut(path: OptionalField, entry: FieldError & { value: unknown }, { store, user }: RefusedUpload): void {
  // Without an id the upload is that of another user for the server, who has no properties yet.
  if (path === 'user.lastSyncTS' || path === 'user.id') loseTrack(user);
  if (path === 'user.lastSyncTS') return;
  store.leftOut[path] = entry.value;
  keep(store, entry);
}

function takeOutProperties(part: RefusedPart, field: FieldError, { store, user, report }: RefusedUpload): void {
  const { properties = [] } = report.user;
  if (part.kind === 'properties') {
    loseTrack(user);
    user.tooManyAt = user.properties.size;
  }
  const entry = part.kind === 'property' ? properties[part.index] : undefined;
  if (!entry) return;
  user.refused.set(entry.name, entry.value);
  user.changed.delete(entry.name);
  keep(store, { ...field, value: entry });
}

function dropSession(store: DeviceStore, { id }: Session): void {
  const session = store.sessions.find((one) => one.id === id);
  if (!session) return;
  session.refused = true;
  session.events = [];
  dropSentSessions(store);
}

/** By identity, because two events may have one id. */
function dropEvents(store: DeviceStore, gone: Set<SessionEvent>): void {
  for (const session of store.sessions) session.events = session.events.filter((event) => !gone.has(event));
}

function withoutEvents(sessions: Session[], gone: Set<SessionEvent>): Session[] {
  return sessions.map((session) => ({
    ...session,
    events: (session.events ?? []).filter((event) => !gone.has(event)),
  }));
}

function keep(store: DeviceStore, { path, message, value }: FieldError & { value: unknown }): void {
  store.takenOut = [...store.takenOut, { path, message, value }].slice(-mostKept);
}
