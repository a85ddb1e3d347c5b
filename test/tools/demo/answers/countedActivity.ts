// What the devices count of their activity and of single events: loops over what they sent.
import { dayOf, daysOf, type Range } from './days.ts';
import type { Figures } from './figures.ts';
import { timeOf, type SentEvent, type SentLog, type SentSession } from './sentLog.ts';

/** A record of what one unit did at a time. */
interface Deed {
  unit: string;
  at: number;
}

const isMirror = ({ name, type }: SentEvent): boolean => name === 'EventTriggered' && type === 'system';
const deviceOf = ({ deviceId }: SentSession): string => deviceId;
const userOf = ({ userId, deviceId }: SentSession): string =>
  userId === null ? `device ${deviceId}` : `user ${userId}`;

export function countedActivity({ sessions, events }: SentLog, range: Range): Figures {
  const all = [...sessions.values()];
  const own = events.filter((event) => !isMirror(event));
  const figures: Figures = new Map();
  for (const [units, unitOf] of [
    ['devices', deviceOf],
    ['users', userOf],
  ] as const) {
    const deeds = [
      ...all.map((session) => ({ unit: unitOf(session), at: timeOf(session) })),
      ...own.map(({ session, at }) => ({ unit: unitOf(session), at })),
    ];
    const firsts = [...firstTimes(deeds)].map(([unit, at]) => ({ unit, at }));
    figures.set(`Activity: active ${units}`, byDay(deeds, range, differentUnits));
    figures.set(`Activity: new ${units}`, byDay(firsts, range, differentUnits));
  }
  const begun = all.map((session) => ({ session, at: timeOf(session) }));
  figures.set(
    'Activity: sessions',
    byDay(begun, range, ({ length }) => length),
  );
  figures.set(
    'Activity: events',
    byDay(own, range, ({ length }) => length),
  );
  figures.set('Activity: median seconds of a session', byDay(begun, range, medianSeconds));
  return figures;
}

export const countedEvents = ['AppOpened', 'ProductAdded'];

export function countedSeries({ events }: SentLog, range: Range): Figures {
  const figures: Figures = new Map();
  for (const name of countedEvents) {
    const named = events.filter((event) => event.type === 'custom' && event.name === name);
    figures.set(
      `Series: ${name}`,
      byDay(named, range, ({ length }) => length),
    );
  }
  const viewed = events.filter(({ type, name }) => type === 'custom' && name === 'ScreenViewed');
  for (const screen of new Set(viewed.map(({ params }) => params.get('screen')))) {
    const deeds = viewed
      .filter(({ params }) => params.get('screen') === screen)
      .map(({ session, at }) => ({ unit: session.deviceId, at }));
    figures.set(`Series: devices on ${String(screen)}`, byDay(deeds, range, differentUnits));
  }
  return figures;
}

/** By unit. */
export function firstTimes(deeds: Deed[]): Map<string, number> {
  const firsts = new Map<string, number>();
  for (const { unit, at } of deeds) firsts.set(unit, Math.min(firsts.get(unit) ?? Infinity, at));
  return firsts;
}

function byDay<Item extends { at: number }, Value>(items: Item[], range: Range, count: (items: Item[]) => Value) {
  const days = new Map<number, Item[]>(daysOf(range).map((day) => [day, []]));
  for (const item of items) days.get(dayOf(item.at))!.push(item);
  return { total: count(items), points: [...days.values()].map(count) };
}

function differentUnits(deeds: Deed[]): number {
  return new Set(deeds.map(({ unit }) => unit)).size;
}

function medianSeconds(begun: { session: SentSession }[]): number | null {
  return medianOf(
    begun.flatMap(({ session: { startedAt, finishedAt } }) =>
      finishedAt !== null && finishedAt >= startedAt ? [(finishedAt - startedAt) / 1_000] : [],
    ),
  );
}

export function medianOf(numbers: number[]): number | null {
  if (numbers.length === 0) return null;
  const sorted = numbers.sort((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
