// Reads the purchases of docs/analytics/README.md as if they had been drawn.
import type { Micros } from './drawn.ts';
import type { DrawnLine, DrawnPurchase, DrawnRenewal } from './drawnPurchases.ts';
import { tableOf } from './workedExamples.ts';

const micros = (time: string): Micros => Date.parse(time) * 1_000;
const orNull = (cell: string): string | null => (cell === '' ? null : cell);
const timeOrNull = (cell: string): Micros | null => (cell === '' ? null : micros(cell));

export function exampleLines(): DrawnLine[] {
  const rows = tableOf('Purchases');
  const first = rows.filter(([id, line]) => id === line);
  return first.map((cells) => ({
    ...{ id: cells[0]!, owner: orNull(cells[2]!), device: orNull(cells[3]!) },
    kind: cells[5] as DrawnLine['kind'],
    environment: cells[14] as DrawnLine['environment'],
    purchases: rows.filter(([, line]) => line === cells[0]).map(purchaseOf),
    renewals: tableOf('Renewals').flatMap((row) => (row[0] === cells[0] ? renewalOf(row) : [])),
  }));
}

function purchaseOf(cells: string[]): DrawnPurchase {
  const [price, currency] = cells[8]!.split(' ');
  return {
    ...{ id: cells[0]!, productId: cells[4]!, purchasedAt: micros(cells[6]!), expiresAt: timeOrNull(cells[7]!) },
    ...{ priceMilli: BigInt(Math.round(Number(price) * 1_000)), currency: currency!, quantity: Number(cells[9]) },
    ...{ upgraded: false, paidUntil: timeOrNull(cells[7]!) },
    ...{ offerMode: orNull(cells[10]!), storefront: orNull(cells[11]!), revokedAt: timeOrNull(cells[12]!) },
    ...{ revocationPercent: cells[13] === '' ? null : Number(cells[13]), revocationType: null, ownership: 'PURCHASED' },
  };
}

function renewalOf([, said, retry, grace]: string[]): DrawnRenewal {
  return { signedAt: micros(said!), inBillingRetry: retry === 'yes', graceExpiresAt: timeOrNull(grace!) };
}
