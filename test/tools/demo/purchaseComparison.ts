// Compares the transactions and entitlements of each device in the admin API with the sales of the fake store.
import { isDeepStrictEqual } from 'node:util';
import type { ShownDevice, ShownEntitlement } from './adminReads.ts';
import type { FakeCall } from './fakeStore/fakeStore.ts';
import type { ExpectedEntitlement, Sale } from './simulation/shop.ts';

export interface Purchases {
  /** The sales by device id. The next two maps have the same keys. */
  sales: Map<string, Sale[]>;
  acknowledged: Map<string, ReadonlySet<string>>;
  devices: Map<string, ShownDevice | null>;
  calls: FakeCall[];
}

export interface PurchaseComparison {
  sold: number;
  acknowledged: number;
  /** The transactions for which the fake store gave a final response: 200 or 404. */
  lookedUp: number;
  resolved: number;
  notKnown: number;
  entitlements: number;
  problems: string[];
}

export function comparePurchases({ sales, acknowledged, devices, calls }: Purchases): PurchaseComparison {
  const sold = [...sales.values()].flat();
  const shown = [...sales.keys()].flatMap((id) => devices.get(id)?.transactions ?? []);
  const served = calls.filter(
    ({ question, status }) => question === 'transaction' && (status === 200 || status === 404),
  );
  const lookedUp = new Set(served.map(({ id }) => id));
  const unasked = sold.filter(({ transactionId }) => !lookedUp.has(transactionId));
  const problems = [...sales].flatMap(([deviceId, own]) =>
    [
      ...acknowledgementProblems(own, acknowledged.get(deviceId)),
      ...deviceProblems(own, devices.get(deviceId) ?? null),
    ].map((problem) => `${deviceId}: ${problem}`),
  );
  return {
    sold: sold.length,
    acknowledged: [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0),
    lookedUp: sold.length - unasked.length,
    resolved: shown.filter(({ state }) => state === 'RESOLVED').length,
    notKnown: shown.filter(({ reason }) => reason === 'not_known_yet').length,
    entitlements: [...sales.keys()].reduce((sum, id) => sum + (devices.get(id)?.entitlements.length ?? 0), 0),
    problems: [
      ...problems,
      ...unasked.map(({ transactionId }) => `the fake store was never asked for ${transactionId}`),
    ],
  };
}

function acknowledgementProblems(sales: Sale[], ids: ReadonlySet<string> = new Set()): string[] {
  return sales
    .filter(({ transactionId }) => !ids.has(transactionId))
    .map(({ transactionId }) => `the report of ${transactionId} was not acknowledged`);
}

function deviceProblems(sales: Sale[], device: ShownDevice | null): string[] {
  const problems: string[] = [];
  const shown = new Map((device?.transactions ?? []).map((transaction) => [transaction.id, transaction]));
  for (const { transactionId, state } of sales) {
    const found = shown.get(transactionId);
    const words = found ? `${found.state}${found.reason === null ? '' : ` (${found.reason})`}` : 'missing';
    if (found?.state !== state) problems.push(`${transactionId} is ${words} instead of ${state}`);
  }
  const expected = sales.reduce((sum, { renewals }) => sum + 1 + renewals, 0);
  if (shown.size !== expected) problems.push(`${expected} transactions sold or renewed, ${shown.size} shown`);
  const wanted = sales.flatMap(({ entitlement }) => (entitlement ? [asShown(entitlement)] : []));
  if (!isDeepStrictEqual(inOrder(wanted), inOrder(device?.entitlements ?? []))) {
    problems.push(`the entitlements are ${JSON.stringify(device?.entitlements)} instead of ${JSON.stringify(wanted)}`);
  }
  return problems;
}

function asShown({ purchasedAt, expiresAt, revokedAt, ...rest }: ExpectedEntitlement): ShownEntitlement {
  const dates = { purchasedAt: purchasedAt.toISOString(), expiresAt: text(expiresAt), revokedAt: text(revokedAt) };
  return { ...rest, ...dates };
}

function text(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

function inOrder(entitlements: ShownEntitlement[]): ShownEntitlement[] {
  const key = ({ purchasedAt, productId }: ShownEntitlement): string => `${purchasedAt} ${productId}`;
  return [...entitlements].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
