// Draws what the property tests of analytics ask about, with the hard cases of the definitions made frequent; it shrinks to few short sessions.
import fc from 'fast-check';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';
import type { PropertyValue } from '../../../src/analytics/questions.ts';
import type {
  Drawn,
  DrawnApplication,
  DrawnDevice,
  DrawnEvent,
  DrawnSession,
  DrawnUpload,
  Micros,
  Properties,
} from './drawn.ts';
import { instantNear, place, startOfDay, type Place } from './drawnDays.ts';

/** How far from the place's date a session may be. */
export const daysAround = 12;

const second = 1_000_000;

/** Users and devices share names: a user `d1` is another unit than the device `d1`. */
export const deviceIds = ['d1', 'd2', 'd3', 'd4'] as const;
export const userIds = [null, 'u1', 'd1', 'u2', ''] as const;
/** Few names, so that steps repeat. */
export const eventNames = ['A', 'B', 'C'] as const;
/** Text and numbers that look alike, numbers that are no integers, and texts beyond the first plane of Unicode. */
export const values: readonly PropertyValue[] = [
  1,
  '1',
  2,
  10,
  '10',
  1.5,
  -3,
  true,
  false,
  'true',
  '',
  'a',
  'B',
  'ä',
  '\u{fffd}',
  '\u{1f600}',
  // Enough of them for more values than a breakdown shows.
  ...Array.from({ length: 12 }, (_, index) => 20 + index),
];

const properties: fc.Arbitrary<Properties> = fc.dictionary(fc.constantFrom('p', 'q'), fc.constantFrom(...values), {
  maxKeys: 2,
  noNullPrototype: true,
});

const kind = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...eventNames).map((name) => ({ name: name, system: false })) },
  // Equal names of both types.
  { weight: 1, arbitrary: fc.constant({ name: 'A', system: true }) },
  { weight: 1, arbitrary: fc.constant({ name: 'EventTriggered', system: true }) },
  // Not a mirror: the app itself tracks this name, which only the SDK's type reserves.
  { weight: 1, arbitrary: fc.constant({ name: 'SessionStarted', system: true }) },
);

/** Between an instant of the device and the arrival: late, at once, or before it where the device's clock is ahead. */
const delay = fc.constantFrom(
  0,
  0,
  second,
  3 * second,
  3_600 * second,
  2 * 86_400 * second,
  -1,
  -60 * second,
  -86_400 * second,
);

function eventNear(at: Place, started: Micros): fc.Arbitrary<DrawnEvent> {
  // In the session's first seconds, with ties; or anywhere.
  const soon = fc
    .constantFrom(0, 0, 1, second, second, 2 * second, 60 * second, 86_400 * second)
    .map((more) => started + more);
  const occurredAt = fc.oneof({ weight: 4, arbitrary: soon }, { weight: 1, arbitrary: instantNear(at, daysAround) });
  return fc
    .record({ kind, occurredAt, params: properties })
    .map(({ kind: { name, system }, ...event }) => ({ name, system, ...event }));
}

function sessionNear(at: Place): fc.Arbitrary<DrawnSession> {
  return instantNear(at, daysAround).chain((startedAt) => {
    const upload = fc.record({ delay, events: fc.array(eventNear(at, startedAt), { maxLength: 4 }) });
    return fc.record({
      device: fc.constantFrom<string>(...deviceIds),
      id: fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6'),
      userId: fc.constantFrom<string | null>(...userIds),
      startedAt: fc.constant(startedAt),
      finishedAt: fc.option(
        fc.constantFrom(0, second, 90 * second, 3_600 * second, -second).map((more) => startedAt + more),
      ),
      uploads: fc.array(upload, { minLength: 1, maxLength: 2 }).map((uploads) => inArrivalOrder(startedAt, uploads)),
    });
  });
}

function inArrivalOrder(startedAt: Micros, drawn: { delay: number; events: DrawnEvent[] }[]): DrawnUpload[] {
  const uploads = drawn.map(({ delay: late, events }) => ({ arrivedAt: startedAt + late, events }));
  uploads.sort((one, other) => one.arrivedAt - other.arrivedAt);
  // Two uploads of one microsecond have no order that a row could tell.
  return uploads.map((upload, index) => ({ ...upload, arrivedAt: upload.arrivedAt + index }));
}

const device = (id: string): fc.Arbitrary<DrawnDevice> =>
  fc.record({
    id: fc.constant(id),
    userId: fc.constantFrom<string | null>(...userIds),
    properties: fc.record(
      {
        platform: fc.constantFrom('iOS', 'Android'),
        country: fc.constantFrom('DE', 'FR', ''),
        deviceModel: fc.constantFrom('phone 1', 'phone 2'),
        appVersionNormalized: fc.constantFrom(1_000_000, 2_000_000),
        osVersionNormalized: fc.constant(17_000_000),
        sdkVersionNormalized: fc.constant(1),
        appInstallVersionNormalized: fc.constantFrom(0, 1_000_000),
      },
      {
        requiredKeys: [
          'platform',
          'deviceModel',
          'appVersionNormalized',
          'osVersionNormalized',
          'sdkVersionNormalized',
          'appInstallVersionNormalized',
        ],
      },
    ),
    userProperties: properties,
    test: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });

/** The devices of the sessions alone. */
function applicationNear(at: Place, maxLength: number): fc.Arbitrary<DrawnApplication> {
  const sessions = fc.uniqueArray(sessionNear(at), { maxLength, selector: ({ device: of, id }) => `${of} ${id}` });
  const devices = fc.tuple(...deviceIds.map(device));
  return fc.record({ devices, sessions }).map((drawn) => ({
    ...drawn,
    devices: drawn.devices.filter(({ id }) => drawn.sessions.some((session) => session.device === id)),
  }));
}

/** Everything has arrived when the question is asked: some points of a range that reaches into the future are not complete. */
export const drawn: fc.Arbitrary<Drawn> = place.chain((at) => {
  const now = fc
    .integer({ min: daysAround + 4, max: daysAround + 5 })
    .map((days) => startOfDay(at, dateOf(dayNumber(at.around) + days)));
  return fc.record({
    asked: applicationNear(at, 12),
    other: applicationNear(at, 3),
    timeZone: fc.constant(at.timeZone),
    around: fc.constant(at.around),
    now,
  });
});
