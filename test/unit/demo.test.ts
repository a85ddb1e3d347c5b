// The demo's own counts of what the reads of analytics say: loops over uploads as they were on the wire, and every difference seen.
import { gzipSync } from 'node:zlib';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { type AdminApi, AdminRefusal } from '../tools/demo/adminApi.ts';
import type { ShownDevice } from '../tools/demo/adminReads.ts';
import { requireAnalytics, waitForCopy } from '../tools/demo/answers/askAnalytics.ts';
import { countedActivity, countedSeries } from '../tools/demo/answers/countedActivity.ts';
import { countedFunnel, countedRetention } from '../tools/demo/answers/countedPaths.ts';
import { countedRevenue, revenueRange } from '../tools/demo/answers/countedRevenue.ts';
import { rangeOf } from '../tools/demo/answers/days.ts';
import { compareFigures, type Figure } from '../tools/demo/answers/figures.ts';
import { SentLog } from '../tools/demo/answers/sentLog.ts';
import { compareAttribution } from '../tools/demo/attributionComparison.ts';
import { compareCampaigns } from '../tools/demo/campaignComparison.ts';
import { campaignTable } from '../tools/demo/campaignTable.ts';
import { differences } from '../tools/demo/comparison.ts';
import { stories } from '../tools/demo/customers/stories.ts';
import { durationDays, type Story } from '../tools/demo/customers/story.ts';
import { startFakeStore } from '../tools/demo/fakeStore/fakeStore.ts';
import { type FakePurchase, originalId } from '../tools/demo/fakeStore/signedData.ts';
import { comparePurchases } from '../tools/demo/purchaseComparison.ts';
import type { StoredDevice } from '../tools/demo/readBack.ts';
import { disagreements, type Findings, report } from '../tools/demo/report.ts';
import { grossText, milliOf } from '../tools/demo/sales/money.ts';
import { sendNotice } from '../tools/demo/sales/notices.ts';
import { phoneItems, policyItems } from '../tools/demo/sales/phoneItems.ts';
import { type Said, saidItems } from '../tools/demo/sales/saidItems.ts';
import { compareSales } from '../tools/demo/sales/salesComparison.ts';
import { salesTable } from '../tools/demo/sales/salesTable.ts';
import { settleSales } from '../tools/demo/sales/settleSales.ts';
import { soldItems } from '../tools/demo/sales/soldItems.ts';
import type { SessionEvent } from '../tools/demo/sdk/wire.ts';
import { count, type CountsByCampaign, noCounts } from '../tools/demo/simulation/campaignCounts.ts';
import { newLedger } from '../tools/demo/simulation/ledger.ts';
import { MidRunPause } from '../tools/demo/simulation/midRunPause.ts';
import { noPauseCounts, PauseWatch } from '../tools/demo/simulation/pauseWatch.ts';
import { randomSource } from '../tools/demo/simulation/randomSource.ts';
import { Shop } from '../tools/demo/simulation/shop.ts';
import { SimulatedTime } from '../tools/demo/simulation/simulatedTime.ts';
import { Tally } from '../tools/demo/simulation/tally.ts';
import type { StagedCampaign } from '../tools/demo/stage.ts';

describe('demoAnswers', () => {
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
});

// The demo's verdict: it must notice every difference between the stored data and the device's own record.
describe('demoComparison', () => {
  function recorded() {
    const ledger = newLedger('device');
    ledger.sessions.set('s1', { eventIds: new Set(['a', 'b']), finished: true });
    ledger.acknowledgedEventIds = new Set(['a', 'b']);
    ledger.userProperties = new Map([['plan', 'pro']]);
    return ledger;
  }

  function stored(
    session: { eventIds: string[]; finished: boolean } = { eventIds: ['b', 'a'], finished: true },
  ): StoredDevice {
    return { sessions: new Map([['s1', session]]), userProperties: new Map([['plan', 'pro']]), attributionReports: 0 };
  }

  test('agrees, whatever the order', () => expect(differences(recorded(), stored())).toEqual([]));

  test.each([
    ['an unknown device', null, 'the service does not know the device'],
    ['a missing event', stored({ eventIds: ['a'], finished: true }), 'session s1 lacks 1 of 2 events'],
    ['an event twice', stored({ eventIds: ['a', 'b', 'b'], finished: true }), 'session s1 has events twice'],
    [
      'an event of nobody',
      stored({ eventIds: ['a', 'b', 'c'], finished: true }),
      'session s1 has 1 events that were not recorded',
    ],
    [
      'a session left open',
      stored({ eventIds: ['a', 'b'], finished: false }),
      'session s1 is not finished in the service',
    ],
    [
      'an attribution of nobody',
      { ...stored(), attributionReports: 1 },
      '1 attribution reports are stored instead of 0',
    ],
    ['a missing session', { ...stored(), sessions: new Map() }, 'session s1 is not stored'],
  ])('sees %s', (_, device, problem) => expect(differences(recorded(), device)).toEqual([problem]));

  test('sees a session of nobody, lost properties and missing acknowledgements', () => {
    const device = stored();
    device.sessions.set('s2', { eventIds: [], finished: false });
    device.userProperties = new Map();
    const ledger = recorded();
    ledger.acknowledgedEventIds.delete('a');
    expect(differences(ledger, device)).toEqual([
      '2 events recorded, 1 acknowledged',
      'session s2 is stored and was never recorded',
      'user properties are [["plan","pro"]] on the device and [] in the service',
    ]);
  });
});

// The demo's verdict beyond sessions: campaigns, purchases, sales, attribution, the reads and the pause; each difference must be noticed and printed.
describe('demoFindings', () => {
  const now = new Date('2026-11-21T10:00:00Z');

  describe('campaigns', () => {
    const campaign: StagedCampaign = {
      id: 'a',
      input: { name: 'Offer', frequency: { perSession: 1, total: 2 } },
      state: 'ACTIVE',
    };
    const counts = { ...noCounts(), shown: 2, completed: 1 };

    function compare({ served = counts, sessions = ['s1', 's2'], staged = campaign } = {}) {
      const [one, other] = [newLedger('d1'), newLedger('d2')];
      one.campaignCounts.set('a', { ...noCounts(), shown: 1, completed: 1 });
      other.campaignCounts.set('a', { ...noCounts(), shown: 1 });
      one.shows = sessions.map((sessionId) => ({ campaignId: 'a', sessionId }));
      const shown = new Map([['a', { state: 'ACTIVE' as const, counts: served }]]);
      return compareCampaigns([staged], { ledgers: [one, other], served: shown, now });
    }

    test('agree when the devices together counted what the service says', () => {
      expect(compare()).toEqual({
        rows: [{ name: 'Offer', state: 'ACTIVE', counted: counts, served: counts }],
        problems: [],
      });
      expect(campaignTable(compare().rows)).toMatch(/Offer +ACTIVE +2=2 +1=1 +0=0/);
    });

    test.each([
      ['a wrong count', { served: { ...counts, shown: 3 } }, 'Offer: shown is 2 on the devices and 3 in the service'],
      ['a broken total', { sessions: ['s1', 's2', 's3'] }, 'Offer: 3 shows on d1'],
      ['a broken cap of sessions', { sessions: ['s1', 's1'] }, 'Offer: 2 shows in one session of d1'],
      [
        'a show before the start',
        { staged: { ...campaign, input: { name: 'Offer', schedule: { startAt: new Date(now.getTime() + 1) } } } },
        'Offer was shown before its start',
      ],
    ])('%s is seen', (_, change, problem) => {
      expect(compare(change).problems).toEqual([problem]);
    });

    test('one that the admin API does not know is a problem, and a wrong cell has another sign', () => {
      const unknown = compareCampaigns([campaign], { ledgers: [], served: new Map(), now });
      expect(unknown.problems).toEqual(['Offer: the admin API does not know it']);
      expect(campaignTable(compare({ served: { ...counts, dismissed: 4 } }).rows)).toContain('0≠4');
    });
  });

  describe('purchases', () => {
    /** Sells enough for every kind of offer to occur. The service shows all of them correctly. */
    function sell() {
      const shop = new Shop({ sell: () => undefined, respondWith: () => undefined });
      const random = randomSource(1, 'shop');
      const ids = Array.from({ length: 60 }, () => shop.sell({ deviceId: 'd', random, at: now }));
      const sales = shop.salesTo('d');
      const device: ShownDevice = {
        transactions: sales.flatMap(({ transactionId, state, renewals }) => [
          { id: transactionId, state, reason: state === 'PENDING' ? 'not_known_yet' : null },
          ...(renewals > 0 ? [{ id: `${transactionId}-renewal`, state, reason: null }] : []),
        ]),
        entitlements: sales.flatMap(({ entitlement }) =>
          entitlement ? [JSON.parse(JSON.stringify(entitlement)) as ShownDevice['entitlements'][number]] : [],
        ),
        attribution: [],
      };
      const calls = ids.map((id) => ({
        ...{ environment: 'production' as const, question: 'transaction' as const },
        ...{ id, status: 200, at: 0 },
      }));
      return { sales, device, calls, ids };
    }
    type Sold = ReturnType<typeof sell>;
    const compare = ({ sales, device, calls, ids }: Sold) =>
      comparePurchases({
        sales: new Map([['d', sales]]),
        acknowledged: new Map([['d', new Set(ids)]]),
        devices: new Map([['d', device]]),
        calls,
      });

    test('agree, whatever the order', () => {
      const sold = sell();
      sold.device.entitlements.reverse();
      const { problems, ...totals } = compare(sold);
      expect(problems).toEqual([]);
      expect(totals).toMatchObject({ sold: 60, acknowledged: 60, lookedUp: 60 });
      const renewals = sold.sales.filter((sale) => sale.renewals > 0).length;
      expect([totals.notKnown > 0, renewals > 0, totals.resolved + totals.notKnown - renewals]).toEqual([
        true,
        true,
        60,
      ]);
      expect(totals.entitlements).toBe(totals.resolved - renewals);
    });

    test.each<[string, (sold: Sold) => void, RegExp]>([
      [
        'pending',
        ({ device }) => void Object.assign(device.transactions[0]!, { state: 'PENDING', reason: 'store_busy' }),
        /d-1 is PENDING \(store_busy\) instead of/,
      ],
      [
        'missing',
        ({ device }) => void device.transactions.shift(),
        /d-1 is missing[\s\S]* transactions sold or renewed, \d+ shown/,
      ],
      [
        'of nobody',
        ({ device }) => void device.transactions.push({ id: 'x', state: 'RESOLVED', reason: null }),
        / transactions sold or renewed, \d+ shown/,
      ],
      ['never asked for', ({ calls }) => void calls.shift(), /the fake store was never asked for d-1/],
      ['not acknowledged', ({ ids }) => void ids.shift(), /the report of d-1 was not acknowledged/],
      [
        'with another entitlement',
        ({ device }) => void (device.entitlements[0]!.active = false),
        /the entitlements are/,
      ],
      ['without one', ({ device }) => void device.entitlements.pop(), /the entitlements are/],
    ])('a transaction %s is seen', (_, change, problem) => {
      const sold = sell();
      change(sold);
      expect(compare(sold).problems.join('\n')).toMatch(problem);
    });
  });

  describe('attribution', () => {
    const ledger = () =>
      Object.assign(newLedger('d'), {
        attribution: { payloads: { provider_b: { a: 1 }, store_search_ads: {}, provider_a: null }, custom: { b: [2] } },
        attributionAcknowledged: true,
      });
    const device = (attribution: ShownDevice['attribution']) =>
      new Map([['d', { transactions: [], entitlements: [], attribution }]]);
    const right = [
      { provider: 'provider_b', payload: { a: 1 } },
      { provider: 'custom', payload: { b: [2] } },
    ];

    test('agrees when each provider that said something is shown as it was', () => {
      expect(compareAttribution([ledger()], device(right))).toEqual({
        ...{ reported: 1, acknowledged: 1, asReported: 1, problems: [] },
      });
    });

    test('another payload, a missing one and a missing acknowledgement are seen', () => {
      const changed = compareAttribution(
        [ledger()],
        device([{ provider: 'provider_b', payload: { a: 2 } }, right[1]!]),
      );
      expect(changed.problems).toHaveLength(1);
      expect(compareAttribution([ledger()], device(right.slice(1))).problems).toHaveLength(1);
      const silent = { ...ledger(), attributionAcknowledged: false };
      expect(compareAttribution([silent], device(right)).problems).toEqual(['d: its attribution was not acknowledged']);
    });
  });

  describe('the verdict', () => {
    const findings = (change: Partial<Findings> = {}): Findings => ({
      ledgers: [],
      tally: new Tally(1),
      sessions: { storedSessions: 0, storedEvents: 0, disagreements: [] },
      campaigns: { rows: [], problems: [] },
      pause: { ...noPauseCounts(), name: 'Paused' },
      purchases: { sold: 0, acknowledged: 0, lookedUp: 0, resolved: 0, notKnown: 0, entitlements: 0, problems: [] },
      sales: { rows: [], problems: [], phones: 0, changes: { notified: 0, silent: 0 } },
      attribution: { reported: 0, acknowledged: 0, asReported: 0, problems: [] },
      responses: { rows: [], problems: [] },
      ...change,
    });

    test('is agreement without problems', () => {
      expect([disagreements(findings()), report(findings())]).toEqual([[], expect.stringContaining('All agree:')]);
    });

    test.each<[string, Partial<Findings>]>([
      [
        'sessions',
        { sessions: { storedSessions: 0, storedEvents: 0, disagreements: [{ deviceId: 'd', problems: ['p'] }] } },
      ],
      ['campaigns', { campaigns: { rows: [], problems: ['p'] } }],
      ['the pause', { pause: { ...noPauseCounts(), name: 'p', violations: 1 } }],
      ['purchases', { purchases: { ...findings().purchases, problems: ['p'] } }],
      ['sales', { sales: { ...findings().sales, problems: ['p'] } }],
      ['attribution', { attribution: { ...findings().attribution, problems: ['p'] } }],
      ['the reads of analytics', { responses: { rows: [], problems: ['p'] } }],
    ])('is not, with one in %s', (_, change) => {
      expect(report(findings(change))).toMatch(/They DISAGREE:\n(.*\n)?.*p/);
      expect(disagreements(findings(change)).length).toBeGreaterThan(0);
    });
  });
});

// The demo's notifications: sent until the service takes them, and then once more.
describe('demoNotices', () => {
  test('a notification that the service cannot take yet comes again, and a repetition after that', async () => {
    const bodies: string[] = [];
    const server = await listen(
      (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          bodies.push(body);
          response.writeHead(bodies.length === 1 ? 503 : 200).end('{}');
        });
      },
      { port: 0, host: '127.0.0.1' },
    );
    const store = await startFakeStore();
    const purchase: FakePurchase = {
      ...{ transactionId: 't', kind: 'NON_CONSUMABLE', productId: 'p', purchasedAt: new Date('2026-11-21T10:00:00Z') },
    };
    await sendNotice(store, { type: 'REFUND', bundleId: 'com.example.test', purchase }, server.url).finally(
      async () => {
        await server.drain(0);
        await store.stop();
      },
    );
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });
});

// The demo's closing table: the stories have every state, and each difference between the shop and the API is noticed and named.
describe('demoSales', () => {
  const startedAt = new Date('2026-11-21T10:00:00Z');
  const periodEnd = new Date('2026-11-21T10:00:15Z');
  const now = new Date('2026-11-21T10:00:40Z');
  const told = stories({ runId: 'r', startedAt, periodEnd });

  /** What the store has sold at the end of all stories. */
  function soldBy(all: Story[]): FakePurchase[] {
    const sold = new Map<string, FakePurchase>();
    const changes = all.flatMap(({ later }) => later?.changes ?? []).flatMap(({ sells }) => sells);
    for (const each of [...all.flatMap(({ sold: first }) => first), ...changes]) sold.set(each.transactionId, each);
    return [...sold.values()];
  }

  const purchases = soldBy(told);
  const sold = soldItems({ purchases, unknown: ['x'], durationDays, now });
  const rowsOf = (list: string) =>
    compareSales(sold, []).rows.flatMap((row) => (row.list === list ? [`${row.productId} ${row.state}`] : []));

  test('the stories have every state of a transaction and of a line', () => {
    expect(rowsOf('transactions')).toEqual([
      '(unknown) not_known_yet',
      ...['renewal', 'bought', 'upgraded'].map((state) => `demo.basic ${state}`).sort(),
      'demo.coins bought',
      ...['bought', 'family share', 'family share revoked'].map((state) => `demo.family ${state}`),
      ...['bought', 'refunded'].map((state) => `demo.full_version ${state}`),
      ...['bought', 'bought', 'introductory', 'refunded', 'renewal', 'renewal', 'upgrade'].map(
        (s) => `demo.monthly ${s}`,
      ),
      'demo.pass bought',
    ]);
    expect(rowsOf('entitlements')).toEqual([
      ...['expired', 'in billing retry'].map((state) => `demo.basic ${state}`),
      'demo.coins active',
      ...['active', 'family share', 'family share revoked'].map((state) => `demo.family ${state}`),
      ...['active', 'refunded'].map((state) => `demo.full_version ${state}`),
      ...['active', 'expired', 'in billing retry', 'in grace', 'refunded'].map((state) => `demo.monthly ${state}`),
      ...['active', 'expired'].map((state) => `demo.pass ${state}`),
    ]);
  });

  test('changes come by notifications and without, and purchases are restored by owners and strangers', () => {
    const changes = told.flatMap(({ later }) => later?.changes ?? []);
    const notified = changes.flatMap(({ notice }) => (notice ? [notice.type] : []));
    expect(new Set(notified)).toEqual(new Set(['DID_RENEW', 'DID_FAIL_TO_RENEW', 'REFUND', 'REVOKE']));
    expect(changes.length - notified.length).toBeGreaterThanOrEqual(4);
    const visits = told.flatMap(({ visits: first, later }) => [...first, ...(later?.visits ?? [])]);
    expect(new Set(visits.map(({ role, holds }) => `${role} ${holds}`))).toEqual(
      new Set(['first phone true', 'second phone true', "stranger's phone false"]),
    );
    expect(purchases.some(({ accountToken }) => accountToken !== undefined)).toBe(true);
    expect(purchases.some(({ quantity }) => quantity === 5)).toBe(true);
  });

  /** The API says what the store has sold. */
  function rightlySaid(): Said {
    const states = new Map(sold.map(({ list, id, state }) => [`${list} ${id}`, state]));
    const latest = new Map<string, FakePurchase>();
    for (const each of [...purchases].sort((one, other) => one.purchasedAt.getTime() - other.purchasedAt.getTime()))
      latest.set(each.kind === 'AUTO_RENEWABLE' ? originalId(each) : each.transactionId, each);
    const common = ({ familyShared, revokedAt, quantity = 1 }: FakePurchase) => ({
      ...{
        ownership: familyShared ? 'FAMILY_SHARED' : 'PURCHASED',
        revokedAt: revokedAt?.toISOString() ?? null,
        quantity,
      },
    });
    return {
      transactions: [
        ...purchases.map((each) => ({
          ...{ id: each.transactionId, state: 'RESOLVED', reason: null, originalId: originalId(each) },
          ...{ productId: each.productId, kind: each.kind, environment: 'PRODUCTION', offer: each.offer ?? 'NONE' },
          ...{ purchasedAt: each.purchasedAt.toISOString(), expiresAt: each.expiresAt?.toISOString() ?? null },
          ...{ price: each.price === undefined ? null : String(each.price / 1_000), currency: each.currency ?? null },
          ...common(each),
        })),
        ...[{ id: 'x', state: 'PENDING', reason: 'not_known_yet', price: null, currency: null, ownership: null }].map(
          (pending) => ({
            ...{ originalId: null, productId: null, kind: null, environment: null, purchasedAt: null, expiresAt: null },
            ...{ revokedAt: null, offer: null, quantity: null, ...pending },
          }),
        ),
      ],
      entitlements: [...latest].map(([id, each]) => {
        const state = states.get(`entitlements ${id}`)!;
        const inBillingRetry = each.inBillingRetry ?? false;
        const active = ['active', 'in grace', 'family share'].includes(state);
        const [purchasedAt, ...ends] = sold
          .find((item) => item.list === 'entitlements' && item.id === id)!
          .dates.split(' ');
        const [expiresAt, graceExpiresAt] = ends.map((date) => (date === '–' ? null : date));
        const dates = { purchasedAt: purchasedAt!, expiresAt: expiresAt!, graceExpiresAt: graceExpiresAt! };
        return { id, productId: each.productId, inBillingRetry, active, ...dates, ...common(each) };
      }),
    };
  }

  test('the same on both sides agrees in every row, with the gross price of each currency', () => {
    const { rows, problems } = compareSales(sold, saidItems(rightlySaid()));
    expect([problems, rows.every(({ agrees }) => agrees)]).toEqual([[], true]);
    const table = salesTable(rows);
    expect(table).toMatch(/demo\.monthly +introductory +1 +1 +0\.99 EUR +1 +1 +0\.99 EUR +yes/);
    expect(table).toMatch(/demo\.monthly +renewal +1 +1 +1500 JPY +1 +1 +1500 JPY +yes/);
    expect(table).toMatch(/demo\.coins +bought +1 +5 +4\.95 EUR +1 +5 +4\.95 EUR +yes/);
    expect(table).toMatch(/demo\.pass +expired +1 +1 +1 +1 +yes/);
  });

  const transaction = (said: Said, name: string) => said.transactions.find(({ id }) => id === `demo-r-${name}`)!;
  const line = (said: Said, name: string) => said.entitlements.find(({ id }) => id === `demo-r-${name}`)!;

  test.each<[string, (said: Said) => void, RegExp]>([
    [
      'a renewal that is missing',
      (said) => void said.transactions.splice(said.transactions.indexOf(transaction(said, 'introductory-renewed')), 1),
      /^demo\.monthly, renewal \(transactions\): the shop sold 6 .*, the API says 5 .*; without demo-r-introductory-renewed$/m,
    ],
    [
      'one that nobody sold',
      (said) => void said.transactions.push({ ...transaction(said, 'refunded'), id: 'strange', originalId: 'strange' }),
      /demo\.monthly, refunded \(transactions\): .*; with strange$/m,
    ],
    [
      'another one in its place',
      (said) => void (transaction(said, 'coinsAndFullVersion-coins').id = 'other'),
      /demo\.coins, bought \(transactions\): .*; without demo-r-coinsAndFullVersion-coins; with other$/m,
    ],
    [
      'another price',
      (said) => void (transaction(said, 'introductory').price = '9.99'),
      /demo\.monthly, introductory .* 1 \(quantity 1, 0\.99 EUR\), the API says 1 \(quantity 1, 9\.99 EUR\)$/m,
    ],
    [
      'another currency',
      (said) => void (transaction(said, 'renewed').currency = 'EUR'),
      /demo\.monthly, bought \(transactions\): the shop sold 1 .*1500 JPY\), the API says 0 .*0 JPY\); without demo-r-renewed$/m,
    ],
    [
      'one coin of five',
      (said) => void (transaction(said, 'coinsAndFullVersion-coins').quantity = 1),
      /demo\.coins, bought .*quantity 5, .*quantity 1, /,
    ],
    [
      'a family share as an own purchase',
      (said) => void (line(said, 'family-ann').ownership = 'PURCHASED'),
      /demo\.family, family share \(entitlements\): .*; without demo-r-family-ann/,
    ],
    ['no refund', (said) => void (line(said, 'refunded').revokedAt = null), /demo\.monthly, refunded \(entitlements\)/],
    [
      'an active refund',
      (said) => void (line(said, 'refunded').active = true),
      /demo\.monthly, refunded, yet active \(entitlements\): .*; with demo-r-refunded/,
    ],
    ['grace that is over', (said) => void (line(said, 'inGrace').active = false), /demo\.monthly, in grace/],
    [
      'another end of grace',
      (said) => void (line(said, 'inGrace').graceExpiresAt = '2026-12-01T00:00:00.000Z'),
      /demo\.monthly, in grace .*; with other dates demo-r-inGrace \(.* sold, .* said\)$/m,
    ],
    ['an active one in billing retry', (said) => void (line(said, 'inBillingRetry').active = true), /in billing retry/],
    ['an expired one that is active', (said) => void (line(said, 'longExpired').active = true), /demo\.basic, expired/],
    ['a pass without its end', (said) => void (line(said, 'passes-400').active = true), /demo\.pass, expired/],
    [
      'the product before the upgrade',
      (said) => void (line(said, 'upgraded').productId = 'demo.basic'),
      /demo\.basic, active \(entitlements\): .*; with demo-r-upgraded/,
    ],
    [
      'one that was not looked up',
      (said) => void Object.assign(transaction(said, 'lateStore'), { state: 'PENDING', reason: 'store_busy' }),
      /\(unknown\), store_busy \(transactions\): .*; with demo-r-lateStore/,
    ],
  ])('%s is a difference, and the problem names it', (_, change, problem) => {
    const said = rightlySaid();
    change(said);
    const { rows, problems } = compareSales(sold, saidItems(said));
    expect(problems.join('\n')).toMatch(problem);
    expect(rows.filter(({ agrees }) => !agrees)).toHaveLength(problems.length);
    expect(salesTable(rows)).toMatch(/ NO$/m);
  });
});

// The demo's closing table: the purchases on phones, sums of money, and the wait for what the API says late.
describe('demoSalesParts', () => {
  const purchases = [
    {
      ...{ transactionId: 'demo-r-longstanding', productId: 'demo.monthly', kind: 'AUTO_RENEWABLE' as const },
      purchasedAt: new Date('2026-11-21T10:00:00Z'),
    },
  ];
  const id = 'demo-r-longstanding';
  const visits = [
    { deviceId: 'own', externalId: 'a', ids: [id], holds: true, role: 'second phone' as const },
    { deviceId: 'strange', externalId: 'b', ids: [id], holds: false, role: "stranger's phone" as const },
  ];
  const phones = (own: string | null, strange: string | null) =>
    new Map(
      [['own', own] as const, ['strange', strange] as const].map(([deviceId, reason]) => [
        deviceId,
        {
          transactions: [{ id, productId: 'demo.monthly', reason }],
          entitlements: reason === null ? [{ storeTransactionIds: [id] }] : [],
        },
      ]),
    );
  const compare = (shown: ReturnType<typeof phones>) =>
    compareSales(policyItems(visits, purchases), phoneItems(visits, shown)).problems;

  test('phones agree when the owner’s hold the line and the stranger’s does not', () => {
    expect(compare(phones(null, 'owned_by_another'))).toEqual([]);
  });

  test('a stranger who holds it, an owner who does not, and a phone that lists nothing are seen', () => {
    expect(compare(phones(null, null)).join()).toContain("stranger's phone: holds (phones)");
    expect(compare(phones('owned_by_another', 'owned_by_another')).join()).toContain('second phone: owned_by_another');
    expect(compare(new Map()).join()).toContain('second phone: missing');
  });
  test('money is added without rounding, in the digits of its currency', () => {
    expect(['9.99', '1500', '0.5', '12.345'].map(milliOf)).toEqual([9_990, 1_500_000, 500, 12_345]);
    expect(() => milliOf('9,99')).toThrow('"9,99" is no price');
    expect([grossText(19_980, 'EUR'), grossText(1_500_000, 'JPY'), grossText(0, null)]).toEqual([
      '19.98 EUR',
      '1500 JPY',
      '–',
    ]);
  });

  test('the table waits for what the API says late, and ends with the differences when nothing changes', async () => {
    const sold = policyItems(visits, purchases);
    const [early, right] = [phoneItems(visits, new Map()), phoneItems(visits, phones(null, 'owned_by_another'))];
    const seen: number[][] = [];
    const settling = { sold: () => sold, onProgress: (...rows: number[]) => void seen.push(rows), pollMillis: 1 };
    const responses = [early, early, right];
    const settled = await settleSales({ ...settling, said: () => Promise.resolve(responses.shift()!) });
    expect([settled.problems, seen]).toEqual([[], [...[0, 0].map((agreeing) => [agreeing, 4]), [2, 2]]]);
    const unsettled = await settleSales({ ...settling, said: () => Promise.resolve(early), patienceMillis: 30 });
    expect(unsettled.problems).toHaveLength(4);
  });
});

// The simulation's own parts: time with its timers, counts of campaigns, and the watch over the paused campaign.
describe('demoSimulation', () => {
  describe('SimulatedTime', () => {
    test('runs timers in their order, each at its own moment, those too that a timer starts', () => {
      const time = new SimulatedTime(0);
      const seen: [string, number][] = [];
      const note = (word: string) => () => void seen.push([word, time.now]);
      time.after(300, note('late'));
      time.after(100, () => {
        note('early')();
        time.after(50, note('inner'));
      });
      const cancel = time.after(200, note('cancelled'));
      cancel();
      time.advance(1_000);
      expect(seen).toEqual([
        ['early', 100],
        ['inner', 150],
        ['late', 300],
      ]);
      expect(time.now).toBe(1_000);
    });

    test('does not go back, and has no timers after the process', () => {
      const time = new SimulatedTime(500);
      let ran = false;
      time.after(1, () => void (ran = true));
      time.stopTimers();
      time.advanceTo(400);
      time.advance(10);
      expect([time.now, ran]).toEqual([510, false]);
    });
  });

  function event(
    name: string,
    params: Record<string, string> = {},
    type: 'system' | 'custom' = 'system',
  ): SessionEvent {
    const named = Object.entries(params).map(([key, value]) => ({ name: key, value }));
    return { id: 'e', name, type, timestamp: 0, date: '', params: named };
  }

  test('outcomes are counted by campaign in the words of the admin API, and nothing else is', () => {
    const counts: CountsByCampaign = new Map();
    count(counts, event('CampaignShown', { campaignId: 'a', source: 'x' }));
    count(counts, event('CampaignResolved', { campaignId: 'a', result: 'Unavailable', unavailableReason: 'TimedOut' }));
    count(counts, event('CampaignResolved', { campaignId: 'b', result: 'SkippedNoContinuation' }));
    count(counts, event('CampaignResolved', { campaignId: 'b', result: 'Unknown' }));
    count(counts, event('AppOpened', { campaignId: 'c' }));
    expect([...counts.keys()]).toEqual(['a', 'b']);
    expect(counts.get('a')).toMatchObject({ shown: 1, unavailable: 1, timedOut: 1, completed: 0 });
    expect(Object.values(counts.get('b')!).filter((value) => value > 0)).toEqual([1]);
  });

  describe('the pause in mid-run', () => {
    const opened = event('AppOpened', {}, 'custom');
    const shown = event('CampaignShown', { campaignId: 'a' });
    const newPause = (pause: () => Promise<void>) =>
      new MidRunPause({ campaignId: 'a', event: 'AppOpened', devices: 2, pause });

    test('comes once, when half is lived, and flushes wait for it', async () => {
      let calls = 0;
      let inForce = () => {};
      const pause = newPause(() => new Promise((resolve) => ((calls += 1), (inForce = resolve))));
      pause.noteLived(0.9);
      await pause.pass();
      expect([calls, pause.isInForce]).toEqual([0, false]);
      pause.noteLived(0.2);
      pause.noteLived(0.5);
      const passing = pause.pass().then(() => pause.isInForce);
      inForce();
      expect([await passing, calls]).toEqual([true, 1]);
    });

    test('that fails is told to whoever passes', async () => {
      const pause = newPause(() => Promise.reject(new Error('refused')));
      pause.noteLived(1);
      await expect(pause.pass()).rejects.toThrow('refused');
    });

    test('divides shows by it and by the first flush that began in its force', async () => {
      const pause = newPause(() => Promise.resolve());
      const counts = noPauseCounts();
      const watch = new PauseWatch(pause, counts);
      const begunBefore = performance.now();
      watch.noteEvent(shown);
      pause.noteLived(2);
      await pause.pass();
      watch.noteFlush(begunBefore);
      watch.noteEvent(opened);
      watch.noteEvent(shown);
      watch.noteFlush(performance.now());
      for (const each of [opened, event('CampaignShown', { campaignId: 'b' }), opened, shown]) watch.noteEvent(each);
      expect(counts).toEqual({ before: 1, late: 1, violations: 1, chances: 2 });
    });
  });
});
