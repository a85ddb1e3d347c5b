// The references of the lists: names, devices and recent events, each as a whole in its order. A read gives them page by page.
import type { Filter, PropertyValue, Scope } from '../../../src/analytics/questions.ts';
import { byTypeAndValue } from './breakdownReference.ts';
import { byCodePoints } from './codePoints.ts';
import { holds } from './conditions.ts';
import { byTime, eventsOf, isSelected, sessionsOf, type SeenEvent } from './definitions.ts';
import type { Drawn, DrawnDevice, Micros, Properties } from './drawn.ts';

const anHour = 3_600_000_000;
const thirtyDays = 30 * 86_400_000_000;
const typeOrder = ['string', 'number', 'boolean'];

export interface PropertyNameResponse {
  name: string;
  /** In the order of the enum. */
  types: string[];
  /** Up to three values: those of most objects, the most frequent first. */
  examples: PropertyValue[];
}

export interface EventNameResponse {
  name: string;
  system: boolean;
  firstSeenAt: Micros;
  lastSeenAt: Micros;
  count30Days: number;
  params: PropertyNameResponse[];
}

interface Names {
  includeTest: boolean;
  /** Parameters are those of the last hours that together have as many events of the name. */
  newest: number;
  /** In lower case. */
  search: string | null;
}

export function eventNamesOf(drawn: Drawn, { includeTest, newest, search }: Names): EventNameResponse[] {
  const nodes = byNameOf(drawn, includeTest).map((events) => {
    const recent = recentOf(events, drawn);
    return {
      ...{ name: events[0]!.name, system: events[0]!.system },
      firstSeenAt: Math.min(...events.map(({ at }) => at)),
      lastSeenAt: Math.max(...events.map(({ at }) => at)),
      count30Days: recent.length,
      params: namesIn(newestOf(recent, drawn, newest).map(({ params }) => params)),
    };
  });
  return nodes
    .filter(({ name }) => search === null || name.toLowerCase().includes(search))
    .sort((one, other) => byCodePoints(one.name, other.name) || Number(one.system) - Number(other.system));
}

/** The events of each name and type. */
function byNameOf(drawn: Drawn, includeTest: boolean): SeenEvent[][] {
  const byName = new Map<string, SeenEvent[]>();
  for (const event of eventsOf(sessionsOf(drawn, includeTest))) {
    const key = JSON.stringify([event.name, event.system]);
    byName.set(key, [...(byName.get(key) ?? []), event]);
  }
  return [...byName.values()];
}

function recentOf(events: readonly SeenEvent[], { now }: Drawn): SeenEvent[] {
  return events.filter(({ at }) => at > now - thirtyDays && at <= now);
}

/** Whole hours before now, from the last one on, until they have enough events. */
function newestOf(recent: readonly SeenEvent[], { now }: Drawn, enough: number): SeenEvent[] {
  const found: SeenEvent[] = [];
  for (let end = now; end > now - thirtyDays && found.length < enough; end -= anHour) {
    found.push(...recent.filter(({ at }) => at <= end && at > end - anHour));
  }
  return found;
}

/** The names of the properties of these objects, by code points. */
function namesIn(objects: readonly Properties[]): PropertyNameResponse[] {
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))].sort(byCodePoints);
  return names.map((name) => {
    const counts = new Map<PropertyValue, number>();
    for (const each of objects) {
      if (!Object.hasOwn(each, name)) continue;
      const value = cut(each[name]!);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts.keys()].sort(
      (one, other) => counts.get(other)! - counts.get(one)! || byTypeAndValue(one, other),
    );
    const types = typeOrder.filter((type) => values.some((value) => typeof value === type));
    return { name, types: types.map((type) => type.toUpperCase()), examples: values.slice(0, 3) };
  });
}

const cut = (value: PropertyValue): PropertyValue =>
  typeof value === 'string' ? [...value].slice(0, 256).join('') : value;

export function propertyNamesOf(drawn: Drawn, { scope, ...names }: Names & { scope: Scope }): PropertyNameResponse[] {
  const { includeTest, search, newest } = names;
  const devices = drawn.asked.devices.filter(({ test }) => includeTest || !test);
  const objects: Record<Scope, () => Properties[]> = {
    EVENT: () =>
      byNameOf(drawn, includeTest).flatMap((events) =>
        newestOf(recentOf(events, drawn), drawn, newest).map(({ params }) => params),
      ),
    USER: () => devices.map(({ userProperties }) => userProperties),
    DEVICE: () => devices.map(({ properties }) => byQuestionNames(properties)),
  };
  return namesIn(objects[scope]()).filter(({ name }) => search === null || name.toLowerCase().includes(search));
}

/** `appVersionNormalized` is asked for as `appVersion`. */
function byQuestionNames(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name.replace(/Normalized$/, ''), value]),
  );
}

export interface DeviceResponse {
  id: string;
  userId: string | null;
  platform: unknown;
  country: unknown;
  appVersion: unknown;
  firstSeenAt: Micros;
  lastSeenAt: Micros;
  sessionsCount: number;
}

export interface DevicesQuestion {
  includeTest: boolean;
  userId: string | null;
  search: string | null;
  filters: readonly Filter[];
  activeSince: Micros | null;
  sort: 'LAST_SEEN' | 'FIRST_SEEN' | 'SESSIONS';
}

export function devicesOf(drawn: Drawn, question: DevicesQuestion): DeviceResponse[] {
  const { userId, search, filters, activeSince, sort } = question;
  const finds = (text: string | null) => text?.toLowerCase().includes(search ?? '') ?? false;
  const fitting = drawn.asked.devices.filter(
    (device) =>
      (question.includeTest || !device.test) &&
      (userId === null || device.userId === userId) &&
      (search === null || finds(device.id) || finds(device.userId)) &&
      filters.every((filter) => holds(filter, device, {})),
  );
  const nodes = fitting.map((device) => deviceResponse(drawn, device));
  const rank = { LAST_SEEN: 'lastSeenAt', FIRST_SEEN: 'firstSeenAt', SESSIONS: 'sessionsCount' } as const;
  return nodes
    .filter(({ lastSeenAt }) => activeSince === null || lastSeenAt >= activeSince)
    .sort((one, other) => other[rank[sort]] - one[rank[sort]] || byCodePoints(one.id, other.id));
}

export function deviceResponse({ asked }: Drawn, { id, userId, properties, seenAt }: DrawnDevice): DeviceResponse {
  const own = asked.sessions.filter(({ device }) => device === id);
  const arrivals = own.flatMap(({ uploads }) => uploads.map(({ arrivedAt }) => arrivedAt)).concat(seenAt ?? []);
  const [firstSeenAt, lastSeenAt] = [Math.min(...arrivals), Math.max(...arrivals)];
  const { platform, country = null, appVersionNormalized: appVersion } = properties;
  return { id, userId, platform, country, appVersion, firstSeenAt, lastSeenAt, sessionsCount: own.length };
}

/** Those that have the user now, and those with a session of the user; the one seen last first. */
export function userDevicesOf(
  drawn: Drawn,
  { userId, includeTest }: { userId: string; includeTest: boolean },
): DeviceResponse[] {
  const { devices, sessions } = drawn.asked;
  const had = (id: string) => sessions.some((session) => session.device === id && session.userId === userId);
  const theirs = devices.filter(({ id, userId: present }) => present === userId || had(id));
  return byLastSeen(theirs.filter(({ test }) => includeTest || !test).map((device) => deviceResponse(drawn, device)));
}

export function byLastSeen(devices: DeviceResponse[]): DeviceResponse[] {
  return devices.sort((one, other) => other.lastSeenAt - one.lastSeenAt || byCodePoints(one.id, other.id));
}

/** Newest arrival first; of one arrival in the reverse of their order. */
export function recentEventsOf(
  drawn: Drawn,
  { filters, includeTest }: { filters: readonly Filter[]; includeTest: boolean },
): SeenEvent[] {
  const fitting = eventsOf(sessionsOf(drawn, includeTest)).filter((event) =>
    isSelected(event, { name: event.name, system: event.system, filters }),
  );
  return fitting.sort((one, other) => other.arrivedAt - one.arrivedAt || byTime(other, one));
}
