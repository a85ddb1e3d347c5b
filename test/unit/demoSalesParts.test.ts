// The demo's closing table: the purchases on phones, sums of money, and the wait for what the API says late.
import { grossText, milliOf } from '../tools/demo/sales/money.ts';
import { phoneItems, policyItems } from '../tools/demo/sales/phoneItems.ts';
import { compareSales } from '../tools/demo/sales/salesComparison.ts';
import { settleSales } from '../tools/demo/sales/settleSales.ts';

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
  const answers = [early, early, right];
  const settled = await settleSales({ ...settling, said: () => Promise.resolve(answers.shift()!) });
  expect([settled.problems, seen]).toEqual([[], [...[0, 0].map((agreeing) => [agreeing, 4]), [2, 2]]]);
  const unsettled = await settleSales({ ...settling, said: () => Promise.resolve(early), patienceMillis: 30 });
  expect(unsettled.problems).toHaveLength(4);
});
