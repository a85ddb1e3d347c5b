// Draws what the property tests of analytics ask about, with the hard cases of the definitions made frequent; it shrinks to few short sessions.
import fc from 'fast-check';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';
import type { PropertyValue } from '../../../src/analytics/questions.ts';
import { earliest } from './definitions.ts';
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
export const userIds = [null, 'u1', 'd1', 'u2', '', '1'] as const;
/** Few names, so that steps repeat. */
export const eventNames = ['A', 'B', 'C'] as const;
/** A name with the signs of SQL, JSON and its pointers. */
export const oddName = `a/b~1"c'\\{}`;
/** A double has no more of an integer that `storeDrawn` stores with all its digits. */
export const longInteger = 2 ** 53;
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
  0,
  0.1,
  0.2,
  0.1 + 0.2,
  1e308,
  longInteger,
  'true',
  'null',
  `it's "so" \\ $1`,
  // They differ where a list of names cuts them.
  `${'x'.repeat(256)}1`,
  `${'x'.repeat(256)}2`,
  '',
  'a',
  'B',
  'ä',
  '\u{fffd}',
  '\u{1f600}',
  // Enough of them for more values than a breakdown shows.
  ...Array.from({ length: 12 }, (_, index) => 20 + index),
];

/** Few values come often, so that equal ones meet. */
const value = fc.oneof(fc.constantFrom<PropertyValue>(1, '1', 2, 10, '10', 1.5, -3, true), fc.constantFrom(...values));

const properties: fc.Arbitrary<Properties> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ p: value }, { noNullPrototype: true }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('p', 'q', oddName), value, { maxKeys: 3, noNullPrototype: true }),
  },
);

const kind = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('A', 'A', ...eventNames).map((name) => ({ name, system: false })) },
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
  -2 * 86_400 * second,
);

/** Of a clock that was reset, and beside the first time that can be true. */
const ofLostClock = fc.constantFrom(0, earliest - 1, earliest);

function eventNear(at: Place, started: Micros): fc.Arbitrary<DrawnEvent> {
  // In the session's first seconds, with ties; or anywhere.
  const soon = fc
    .constantFrom(0, 0, 1, second, second, 2 * second, 60 * second, 86_400 * second)
    .map((more) => started + more);
  const occurredAt = fc.oneof(
    { weight: 8, arbitrary: soon },
    { weight: 2, arbitrary: instantNear(at, daysAround) },
    { weight: 1, arbitrary: ofLostClock },
  );
  return fc
    .record({ kind, occurredAt, params: properties })
    .map(({ kind: { name, system }, ...event }) => ({ name, system, ...event }));
}

function sessionNear(at: Place): fc.Arbitrary<DrawnSession> {
  const started = (began: Micros) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(began) }, { weight: 1, arbitrary: ofLostClock });
  const begun = instantNear(at, daysAround).chain((began) => fc.tuple(fc.constant(began), started(began)));
  return begun.chain(([began, startedAt]) => {
    const upload = fc.record({ delay, events: fc.array(eventNear(at, began), { maxLength: 4 }) });
    return fc.record({
      device: fc.constantFrom<string>(...deviceIds),
      id: fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6'),
      userId: fc.constantFrom<string | null>(...userIds),
      startedAt: fc.constant(startedAt),
      finishedAt: fc.option(
        fc.constantFrom(0, second, 90 * second, 3_600 * second, -second).map((more) => startedAt + more),
      ),
      uploads: fc.array(upload, { minLength: 1, maxLength: 2 }).map((uploads) => inArrivalOrder(began, uploads)),
    });
  });
}

function inArrivalOrder(startedAt: Micros, drawn: { delay: number; events: DrawnEvent[] }[]): DrawnUpload[] {
  const uploads = drawn.map(({ delay: late, events }) => ({ arrivedAt: startedAt + late, events }));
  uploads.sort((one, other) => one.arrivedAt - other.arrivedAt);
  return uploads;
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

/** A session with more values than a breakdown shows, some of them twice. */
function richSession(at: Place): fc.Arbitrary<DrawnSession> {
  const chosen = fc.shuffledSubarray([...values], { minLength: 19 });
  return fc.tuple(instantNear(at, 1), chosen, fc.nat(12)).map(([startedAt, some, twice]) => ({
    ...{ device: 'd1', id: 'rich', userId: 'u1', startedAt, finishedAt: null },
    uploads: [
      {
        arrivedAt: startedAt + second,
        events: [...some, ...some.slice(0, twice)].map((p, index) => ({
          ...{ name: 'A', system: false, occurredAt: startedAt, params: { p, q: index } },
        })),
      },
    ],
  }));
}

/** The devices of the sessions, and at times one more. */
function applicationNear(at: Place, maxLength: number): fc.Arbitrary<DrawnApplication> {
  const selector = ({ device: of, id }: DrawnSession) => `${of} ${id}`;
  const some = fc
    .constantFrom(0, maxLength / 2)
    .chain((minLength) => fc.uniqueArray(sessionNear(at), { minLength, maxLength, selector }));
  const sessions = fc
    .tuple(some, fc.constantFrom(false, false, false, true), richSession(at))
    .map(([few, isRich, rich]) => (isRich ? [...few, rich] : few));
  const devices = fc.tuple(...deviceIds.map(device));
  // Retention has removed the sessions of this one.
  const idle = fc
    .tuple(device('d5'), instantNear(at, daysAround))
    .map(([each, seenAt]): DrawnDevice => ({ ...each, seenAt }));
  return fc
    .record({ devices, sessions, idle: fc.option(idle, { freq: 2 }) })
    .map(({ devices: all, sessions: own, idle: removed }) => {
      const used = all.filter(({ id }) => own.some((session) => session.device === id));
      return { devices: removed ? [...used, removed] : used, sessions: own };
    });
}

/** Everything has arrived when the question is asked: some points of a range that reaches into the future are not complete. */
export const drawn: fc.Arbitrary<Drawn> = place.chain((at) => {
  // Also so late that some of it is older than 30 days, and an hour after the end of a day.
  const days = fc.oneof(fc.constantFrom(4, 5), fc.integer({ min: 4, max: 34 }));
  const now = fc
    .tuple(days, fc.constantFrom(0, 0, 3_600 * second, 3_600 * second - 1_000))
    .map(([late, more]) => startOfDay(at, dateOf(dayNumber(at.around) + daysAround + late)) + more);
  return fc.record({
    asked: applicationNear(at, 12),
    other: applicationNear(at, 2),
    timeZone: fc.constant(at.timeZone),
    around: fc.constant(at.around),
    now,
  });
});
