// What the devices count of their ways: a funnel, and who comes back. Loops over what they sent, a device at a time.
import { firstTimes, medianOf } from './countedActivity.ts';
import { dayOf, daysOf, type Range } from './days.ts';
import type { Figures } from './figures.ts';
import { timeOf, type SentEvent, type SentLog } from './sentLog.ts';

export const funnelSteps = ['AppOpened', 'ScreenViewed', 'ProductAdded'];
const withinMillis = 3_600_000;

export function countedFunnel({ events }: SentLog): Figures {
  const walks = [...byDevice(events).values()].map(walkOf);
  const figures: Figures = new Map();
  for (const [index, name] of funnelSteps.entries()) {
    const there = walks.filter((walk) => walk.length > index);
    const waits = index === 0 ? [] : there.map((walk) => (walk[index]! - walk[index - 1]!) / 1_000);
    figures.set(`Funnel, step ${index + 1}: ${name}`, { total: there.length, points: [medianOf(waits)] });
  }
  return figures;
}

/** The times of the steps that one device took, in their order. */
function walkOf(events: SentEvent[]): number[] {
  const times: number[] = [];
  for (const { name, at } of events.sort(inOrder)) {
    if (times.length > 0 && at > times[0]! + withinMillis) break;
    if (name === funnelSteps[times.length]) times.push(at);
  }
  return times;
}

/** Of equal times the session that came first, then the event that came first. */
function inOrder(one: SentEvent, other: SentEvent): number {
  return (
    one.at - other.at ||
    one.session.upload - other.session.upload ||
    (one.session.id === other.session.id ? one.place - other.place : one.session.id < other.session.id ? -1 : 1)
  );
}

function byDevice(events: SentEvent[]): Map<string, SentEvent[]> {
  const devices = new Map<string, SentEvent[]>();
  for (const event of events) {
    if (event.type !== 'custom') continue;
    const { deviceId } = event.session;
    const own = devices.get(deviceId);
    if (own) own.push(event);
    else devices.set(deviceId, [event]);
  }
  return devices;
}

/** The number of days is that of the periods. A row for each, over all days on which devices were first seen. */
export function countedRetention({ sessions, events }: SentLog, range: Range, periods: number): Figures {
  const deeds = [
    ...[...sessions.values()].map((session) => ({ unit: session.deviceId, at: timeOf(session) })),
    ...events
      .filter(({ name, type }) => !(name === 'EventTriggered' && type === 'system'))
      .map(({ session, at }) => ({ unit: session.deviceId, at })),
  ];
  const firsts = firstTimes(deeds);
  const here = new Set(deeds.map(({ unit, at }) => `${unit} ${dayOf(at)}`));
  const figures: Figures = new Map();
  for (let later = 0; later < periods; later++) {
    const points = daysOf(range).map((day) => {
      const cohort = [...firsts].filter(([, first]) => dayOf(first) === day);
      return cohort.filter(([unit]) => here.has(`${unit} ${day + later}`)).length;
    });
    figures.set(`Retention, day ${later}`, { total: points.reduce((sum, count) => sum + count, 0), points });
  }
  return figures;
}
