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
  /** The numbers are the same, and so are the ids and their dates. */
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
  const named = [
    ['without', without(ours, theirs)],
    ['with', without(theirs, ours)],
    ['with other dates', redated(ours, theirs)],
  ] as const;
  const differences = named.filter(([, ids]) => ids.length > 0);
  if (JSON.stringify(sold) === JSON.stringify(said) && differences.length === 0) return null;
  const words = ({ number, quantity, gross }: Count): string => `${number} (quantity ${quantity}, ${gross})`;
  return [
    `the shop sold ${words(sold)}, the API says ${words(said)}`,
    ...differences.map(([how, ids]) => `${how} ${ids.slice(0, idsNamed).join(', ')}`),
  ].join('; ');
}

/** Those that both sides have, with the dates of both. */
function redated(ours: Item[], theirs: Item[]): string[] {
  const dates = new Map(theirs.map((item) => [item.id, item.dates]));
  const other = ours.filter((item) => (dates.get(item.id) ?? item.dates) !== item.dates);
  return other.map((item) => `${item.id} (${item.dates} sold, ${dates.get(item.id)} said)`);
}

function without(items: Item[], others: Item[]): string[] {
  const ids = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}
