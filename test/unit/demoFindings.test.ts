// The demo's verdict beyond sessions: campaigns, purchases, sales, attribution, the reads and the pause; each difference must be noticed and printed.
import { compareAttribution } from '../tools/demo/attributionComparison.ts';
import { compareCampaigns } from '../tools/demo/campaignComparison.ts';
import { campaignTable } from '../tools/demo/campaignTable.ts';
import type { ShownDevice } from '../tools/demo/adminReads.ts';
import { comparePurchases } from '../tools/demo/purchaseComparison.ts';
import { disagreements, report, type Findings } from '../tools/demo/report.ts';
import { noCounts } from '../tools/demo/simulation/campaignCounts.ts';
import { newLedger } from '../tools/demo/simulation/ledger.ts';
import { noPauseCounts } from '../tools/demo/simulation/pauseWatch.ts';
import { randomSource } from '../tools/demo/simulation/randomSource.ts';
import { Shop } from '../tools/demo/simulation/shop.ts';
import { Tally } from '../tools/demo/simulation/tally.ts';
import type { StagedCampaign } from '../tools/demo/stage.ts';

const now = new Date('2026-11-21T10:00:00Z');

describe('campaigns', () => {
  const campaign: StagedCampaign = {
    id: 'a',
    input: { name: 'Offer', frequency: { perSession: 1, total: 2 } },
    state: 'ACTIVE',
  };
  const counts = { ...noCounts(), shown: 2, completed: 1 };

  function compare({ answered = counts, sessions = ['s1', 's2'], staged = campaign } = {}) {
    const [one, other] = [newLedger('d1'), newLedger('d2')];
    one.campaignCounts.set('a', { ...noCounts(), shown: 1, completed: 1 });
    other.campaignCounts.set('a', { ...noCounts(), shown: 1 });
    one.shows = sessions.map((sessionId) => ({ campaignId: 'a', sessionId }));
    const shown = new Map([['a', { state: 'ACTIVE' as const, counts: answered }]]);
    return compareCampaigns([staged], { ledgers: [one, other], answered: shown, now });
  }

  test('agree when the devices together counted what the service says', () => {
    expect(compare()).toEqual({
      rows: [{ name: 'Offer', state: 'ACTIVE', counted: counts, answered: counts }],
      problems: [],
    });
    expect(campaignTable(compare().rows)).toMatch(/Offer +ACTIVE +2=2 +1=1 +0=0/);
  });

  test.each([
    ['a wrong count', { answered: { ...counts, shown: 3 } }, 'Offer: shown is 2 on the devices and 3 in the service'],
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
    const unknown = compareCampaigns([campaign], { ledgers: [], answered: new Map(), now });
    expect(unknown.problems).toEqual(['Offer: the admin API does not know it']);
    expect(campaignTable(compare({ answered: { ...counts, dismissed: 4 } }).rows)).toContain('0≠4');
  });
});

describe('purchases', () => {
  /** Sells enough for every kind of offer to occur. The service shows all of them correctly. */
  function sell() {
    const shop = new Shop({ sell: () => undefined, answer: () => undefined });
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
    expect([totals.notKnown > 0, renewals > 0, totals.resolved + totals.notKnown - renewals]).toEqual([true, true, 60]);
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
    ['with another entitlement', ({ device }) => void (device.entitlements[0]!.active = false), /the entitlements are/],
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
    const changed = compareAttribution([ledger()], device([{ provider: 'provider_b', payload: { a: 2 } }, right[1]!]));
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
    answers: { rows: [], problems: [] },
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
    ['the reads of analytics', { answers: { rows: [], problems: ['p'] } }],
  ])('is not, with one in %s', (_, change) => {
    expect(report(findings(change))).toMatch(/They DISAGREE:\n(.*\n)?.*p/);
    expect(disagreements(findings(change)).length).toBeGreaterThan(0);
  });
});
