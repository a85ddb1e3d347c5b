// Compares what the shop sold with what the API says: a row for each list, product, state and currency (pure).
import { lists, type Item } from './item.ts';
import { grossText } from './money.ts';

export interface Count {
  number: number;
  quantity: number;
  /** Decimal text with its currency. */
  gross: string;
}

export interface SalesRow {
  list: Item['list'];
  productId: string;
  state: string;
  sold: Count;
  said: Count;
  /** The numbers are the same, and so are the ids. */
  agrees: boolean;
}

export interface SalesComparison {
  rows: SalesRow[];
  problems: string[];
}

const idsNamed = 3;

export function compareSales(sold: Item[], said: Item[]): SalesComparison {
  const [ours, theirs] = [byRow(sold), byRow(said)];
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  const problems: string[] = [];
  const rows = keys.map((key): SalesRow => {
    const [one, other] = [ours.get(key) ?? [], theirs.get(key) ?? []];
    const { list, productId, state, currency } = (one[0] ?? other[0])!;
    const row = { list, productId, state, sold: countOf(one, currency), said: countOf(other, currency) };
    const difference = differenceOf(row, one, other);
    if (difference !== null) problems.push(`${productId}, ${state} (${list}): ${difference}`);
    return { ...row, agrees: difference === null };
  });
  return { rows, problems };
}

function byRow(items: Item[]): Map<string, Item[]> {
  const rows = new Map<string, Item[]>();
  for (const item of items) {
    const key = [lists.indexOf(item.list), item.productId, item.state, item.currency ?? ''].join('\t');
    const row = rows.get(key);
    if (row) row.push(item);
    else rows.set(key, [item]);
  }
  return rows;
}

function countOf(items: Item[], currency: string | null): Count {
  const sum = (of: (item: Item) => number): number => items.reduce((total, item) => total + of(item), 0);
  const gross = grossText(
    sum(({ priceMilli }) => priceMilli),
    currency,
  );
  return { number: items.length, quantity: sum(({ quantity }) => quantity), gross };
}

/** Null where both sides are the same. */
function differenceOf({ sold, said }: Pick<SalesRow, 'sold' | 'said'>, ours: Item[], theirs: Item[]): string | null {
  const missing = without(ours, theirs);
  const strange = without(theirs, ours);
  const same = JSON.stringify(sold) === JSON.stringify(said);
  if (same && missing.length + strange.length === 0) return null;
  const words = ({ number, quantity, gross }: Count): string => `${number} (quantity ${quantity}, ${gross})`;
  return [
    `the shop sold ${words(sold)}, the API says ${words(said)}`,
    ...(missing.length > 0 ? [`without ${missing.slice(0, idsNamed).join(', ')}`] : []),
    ...(strange.length > 0 ? [`with ${strange.slice(0, idsNamed).join(', ')}`] : []),
  ].join('; ');
}

function without(items: Item[], others: Item[]): string[] {
  const ids = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}
