// The demo's own counts of what the reads of analytics say: loops over uploads as they were on the wire, and every difference seen.
import { gzipSync } from 'node:zlib';
import { AdminRefusal, type AdminApi } from '../tools/demo/adminApi.ts';
import { requireAnalytics, waitForCopy } from '../tools/demo/answers/askAnalytics.ts';
import { countedActivity, countedSeries } from '../tools/demo/answers/countedActivity.ts';
import { countedFunnel, countedRetention } from '../tools/demo/answers/countedPaths.ts';
import { countedRevenue, revenueRange } from '../tools/demo/answers/countedRevenue.ts';
import { rangeOf } from '../tools/demo/answers/days.ts';
import { compareFigures, type Figure } from '../tools/demo/answers/figures.ts';
import { SentLog } from '../tools/demo/answers/sentLog.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';

const noon = Date.UTC(2026, 2, 2, 12);
const day = 86_400_000;

interface Sent {
  device?: string;
  user?: string;
  session: string;
  start: number;
  finish?: number;
  events: [id: string, name: string, at: number, screen?: string][];
}

function bodyOf({ device = 'd1', user, session, start, finish, events }: Sent): Buffer {
  return Buffer.from(
    JSON.stringify({
      user: { ...(user !== undefined && { id: user }) },
      device: { id: device },
      sessions: [
        {
          ...{ id: session, startDate: new Date(start).toISOString() },
          finishDate: finish === undefined ? null : new Date(finish).toISOString(),
          events: events.map(([id, name, at, screen]) => ({
            ...{ id, name, type: name === 'EventTriggered' ? 'system' : 'custom', timestamp: at / 1_000 },
            params: screen === undefined ? [] : [{ name: 'screen', value: screen }],
          })),
        },
      ],
    }),
  );
}

function logOf(...uploads: Sent[]): SentLog {
  const log = new SentLog();
  for (const upload of uploads) log.note(gzipSync(bodyOf(upload)), { gzip: true, sentAt: noon + 2 * day });
  return log;
}

const shown = (figures: Map<string, Figure>) =>
  Object.fromEntries([...figures].map(([name, { total }]) => [name, total]));
const range = rangeOf([noon, noon + day]);

test('an upload that comes twice counts once, and a clock ahead counts at its upload', () => {
  const upload = {
    session: 's',
    start: noon,
    events: [['e', 'AppOpened', noon + 90 * day] as const],
  } as unknown as Sent;
  const log = logOf(upload, upload);
  expect(log.events.map(({ at }) => at)).toEqual([noon + 2 * day]);
  expect(log.sessions.size).toBe(1);
});

test('the earliest start, the latest finish and the latest user of a session count', () => {
  const log = logOf(
    { session: 's', start: noon, finish: noon + 10_000, events: [] },
    { session: 's', start: noon - 5_000, finish: noon + 4_000, user: 'ann', events: [] },
  );
  const [session] = [...log.sessions.values()];
  expect(session).toMatchObject({ startedAt: noon - 5_000, finishedAt: noon + 10_000, userId: 'ann' });
  expect(countedActivity(log, range).get('Activity: median seconds of a session')!.total).toBe(15);
});

test('units, first days, events without their mirrors, and devices on a screen', () => {
  const log = logOf(
    {
      session: 's1',
      user: 'ann',
      start: noon,
      events: [
        ['1', 'AppOpened', noon],
        ['2', 'EventTriggered', noon],
      ],
    },
    { session: 's2', user: 'ann', start: noon + day, events: [['3', 'ScreenViewed', noon + day, 'home']] },
    {
      session: 's3',
      device: 'd2',
      user: 'ann',
      start: noon + day,
      events: [['4', 'ScreenViewed', noon + day, 'home']],
    },
  );
  expect(shown(countedActivity(log, range))).toEqual({
    'Activity: active devices': 2,
    'Activity: new devices': 2,
    'Activity: active users': 1,
    'Activity: new users': 1,
    'Activity: sessions': 3,
    'Activity: events': 3,
    'Activity: median seconds of a session': null,
  });
  expect(countedActivity(log, range).get('Activity: active devices')!.points).toEqual([0, 1, 2, 0]);
  expect(shown(countedSeries(log, range))).toMatchObject({ 'Series: AppOpened': 1, 'Series: devices on home': 2 });
  expect(shown(countedRetention(log, range, 2))).toEqual({ 'Retention, day 0': 2, 'Retention, day 1': 1 });
});

test('a funnel begins with the first step and ends after its hour, the last instant included', () => {
  const hour = 3_600_000;
  const steps = (...times: [string, number][]): Sent['events'] =>
    times.map(([name, at], place) => [`${name}${at}${place}`, name, at]);
  const walk = (events: Sent['events']) =>
    [...countedFunnel(logOf({ session: 's', start: noon, events })).values()].map(({ total }) => total);
  expect(walk(steps(['ScreenViewed', noon], ['AppOpened', noon + 1]))).toEqual([1, 0, 0]);
  const inOne = steps(['AppOpened', noon], ['ScreenViewed', noon], ['ProductAdded', noon + hour]);
  expect(walk(inOne)).toEqual([1, 1, 1]);
  expect(walk(steps(['AppOpened', noon], ['ScreenViewed', noon + hour + 1]))).toEqual([1, 0, 0]);
  expect(walk(steps(['AppOpened', noon], ['ScreenViewed', noon + hour + 1], ['AppOpened', noon + hour]))).toEqual([
    1, 0, 0,
  ]);
});

test('revenue has neither the sandbox, nor shares of a family, nor another currency, and a refund has its own day', () => {
  const sale = {
    kind: 'CONSUMABLE',
    productId: 'p',
    price: 1_990,
    currency: 'EUR',
    purchasedAt: new Date(noon),
  } as const;
  const purchases: FakePurchase[] = [
    { ...sale, transactionId: '1', quantity: 2, revokedAt: new Date(noon + day) },
    { ...sale, transactionId: '2', originalTransactionId: '1' },
    { ...sale, transactionId: '3', environment: 'Sandbox' },
    { ...sale, transactionId: '4', familyShared: true },
    { ...sale, transactionId: '5', currency: 'JPY' },
  ];
  const figures = countedRevenue(purchases, 'EUR', revenueRange(purchases));
  expect(shown(figures)).toEqual({
    ...{ 'Revenue: gross, EUR': '5.97', 'Revenue: refunds, EUR': '3.98' },
    ...{ 'Revenue: purchases': 1, 'Revenue: renewals': 1 },
  });
  expect(figures.get('Revenue: refunds, EUR')!.points).toEqual(['0.00', '0.00', '3.98', '0.00']);
});

test.each<[string, Figure | undefined, RegExp]>([
  ['another total', { total: 3, points: [1, 1] }, /counted 2, the service says 3/],
  ['another point', { total: 2, points: [2, 0] }, /at point 0 the devices counted 1, the service says 2/],
  ['fewer points', { total: 2, points: [2] }, /counted 2 points, the service says 1/],
  ['nothing', undefined, /the service does not say it/],
])('%s is seen', (_, said, words) => {
  const counted = new Map([['Active', { total: 2, points: [1, 1] }]]);
  const { rows, problems } = compareFigures(counted, new Map(said ? [['Active', said]] : []));
  expect([rows[0]!.agrees, problems]).toEqual([false, [expect.stringMatching(words)]]);
  expect(compareFigures(counted, counted).problems).toEqual([]);
});

describe('the wait for the copy', () => {
  const applicationId = 'a';
  const refusing = (reason: string): AdminApi => ({
    ask: () =>
      Promise.reject(new AdminRefusal([{ message: 'm', extensions: { code: 'ANALYTICS_UNAVAILABLE', reason } }])),
  });
  const at = (asOf: string): AdminApi => ({ ask: <Data>() => Promise.resolve({ recentEvents: { asOf } } as Data) });

  test('says what to do where there is none', async () => {
    await expect(requireAnalytics({ admin: refusing('off'), applicationId })).rejects.toThrow(/ANALYTICS=embedded/);
    await expect(requireAnalytics({ admin: refusing('building'), applicationId })).resolves.toBeUndefined();
  });
  test('ends: with nothing, with the instant of a copy that is behind, or with the reason of its absence', async () => {
    const asOf = '2026-03-02T12:00:00.000Z';
    expect(await waitForCopy({ admin: at(asOf), applicationId }, noon)).toBeNull();
    expect(await waitForCopy({ admin: at(asOf), applicationId, patience: 1 }, noon + 1)).toMatch(
      /behind: asOf is 2026/,
    );
    await expect(waitForCopy({ admin: refusing('building'), applicationId, patience: 1 }, 0)).rejects.toThrow(
      /building/,
    );
  });
});
