// The definitions of schema.graphql, "Analytics", as plain functions over what was drawn: the words that every reference read uses.
import type { Calendar, EventSelection, SeriesInterval, Unit } from '../../../src/analytics/questions.ts';
import { microsOf, reportPoints } from '../../../src/analytics/reportDays.ts';
import { byCodePoints } from './codePoints.ts';
import { holds } from './conditions.ts';
import type { Drawn, DrawnDevice, DrawnEvent, DrawnSession, Micros } from './drawn.ts';

/** A session with what the definitions say of it. */
export interface SeenSession extends DrawnSession {
  owner: DrawnDevice;
  /** Its time: the earlier of its start and its first arrival. */
  at: Micros;
  /** Its first arrival. */
  firstArrival: Micros;
  seen: SeenEvent[];
}

export interface SeenEvent extends DrawnEvent {
  session: SeenSession;
  /** Its time: the earlier of its own and its arrival. */
  at: Micros;
  arrivedAt: Micros;
  /** Among the events of its session: by the arrival of the uploads, then by the place in `events`. */
  place: number;
}

/** "Test devices are left out unless `includeTest` is true." */
export function sessionsOf({ asked }: Drawn, includeTest: boolean): SeenSession[] {
  const seen: SeenSession[] = [];
  for (const session of asked.sessions) {
    const owner = asked.devices.find(({ id }) => id === session.device)!;
    if (!owner.test || includeTest) seen.push(seenSession(session, owner));
  }
  return seen;
}

/** Before it a time of the drawn applications cannot be true. */
export const earliest: Micros = Date.parse('2008-01-01T00:00:00Z') * 1_000;

/** "The earlier of its own and its arrival", and the arrival where its own cannot be true. */
function timeOf(own: Micros, arrival: Micros): Micros {
  return own < earliest ? arrival : Math.min(own, arrival);
}

const day = 86_400_000_000;

/** The length of a finished session in seconds, where both dates can be true and are in their order. */
export function lengthOf({ startedAt, finishedAt, firstArrival }: SeenSession): number | null {
  if (finishedAt === null || finishedAt < startedAt || startedAt < earliest) return null;
  return finishedAt > firstArrival + day || startedAt > firstArrival + day
    ? null
    : (finishedAt - startedAt) / 1_000_000;
}

function seenSession(session: DrawnSession, owner: DrawnDevice): SeenSession {
  const firstArrival = session.uploads[0]!.arrivedAt;
  const seen: SeenSession = {
    ...session,
    owner,
    firstArrival,
    at: timeOf(session.startedAt, firstArrival),
    seen: [],
  };
  for (const { arrivedAt, events } of session.uploads) {
    for (const event of events) {
      const at = timeOf(event.occurredAt, arrivedAt);
      seen.seen.push({ ...event, session: seen, at, arrivedAt, place: seen.seen.length });
    }
  }
  return seen;
}

/** All events, in the order of "Times of events and sessions". */
export function eventsOf(sessions: readonly SeenSession[]): SeenEvent[] {
  return sessions.flatMap(({ seen }) => seen).sort(byTime);
}

export function byTime(one: SeenEvent, other: SeenEvent): number {
  return (
    one.at - other.at ||
    one.session.firstArrival - other.session.firstArrival ||
    byCodePoints(one.session.id, other.session.id) ||
    byCodePoints(one.session.device, other.session.device) ||
    one.place - other.place
  );
}

/** "A user is the user id of the session, and where there is none the device." A user and a device never are one unit. */
export function unitOf({ userId, device }: Pick<DrawnSession, 'userId' | 'device'>, unit: Unit): string {
  return unit === 'DEVICE' || userId === null ? `device ${device}` : `user ${userId}`;
}

/** The mirror of a custom event, which counts only where it is named. */
export function isMirror({ name, system }: Pick<DrawnEvent, 'name' | 'system'>): boolean {
  return system && name === 'EventTriggered';
}

export interface Activity {
  unit: string;
  at: Micros;
}

/** "A unit is active with a session or an event" other than a mirror. */
export function activitiesOf(sessions: readonly SeenSession[], unit: Unit): Activity[] {
  const found: Activity[] = [];
  for (const session of sessions) {
    found.push({ unit: unitOf(session, unit), at: session.at });
    for (const event of session.seen) {
      if (!isMirror(event)) found.push({ unit: unitOf(session, unit), at: event.at });
    }
  }
  return found;
}

/** The first time of each unit. */
export function firstsOf(activities: readonly Activity[]): Map<string, Micros> {
  const firsts = new Map<string, Micros>();
  for (const { unit, at } of activities) firsts.set(unit, Math.min(at, firsts.get(unit) ?? Infinity));
  return firsts;
}

/** A half-open span of time. */
export interface Span {
  start: Micros;
  end: Micros;
}

export function spansOf(calendar: Calendar, interval: SeriesInterval): Span[] {
  return reportPoints(calendar, interval).map(({ start, end }) => ({
    start: Number(microsOf(start)),
    end: Number(microsOf(end)),
  }));
}

export function wholeSpan(calendar: Calendar): Span {
  const days = spansOf(calendar, 'DAY');
  return { start: days[0]?.start ?? 0, end: days.at(-1)?.end ?? 0 };
}

export function isIn({ start, end }: Span, at: Micros): boolean {
  return at >= start && at < end;
}

/** Its end is an hour past. */
export function isSpanComplete({ end }: Span, now: Micros): boolean {
  return end + 3_600_000_000 <= now;
}

export function isSelected(event: SeenEvent, { name, system, filters }: EventSelection): boolean {
  return (
    event.name === name &&
    event.system === system &&
    filters.every((filter) => holds(filter, event.session.owner, event.params))
  );
}

export function distinct(values: readonly string[]): number {
  return new Set(values).size;
}

/** As percentile_cont has it: between two values by the distance. Null without a value. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((one, other) => one - other);
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}
