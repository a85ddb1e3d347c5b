// Writes one line for each product and state: what the shop sold beside what the API says.
import type { Count, SalesRow } from './salesComparison.ts';

const titles: Record<SalesRow['list'], string> = {
  transactions: 'Transactions: sold by the shop, said by storeTransactions',
  entitlements: 'Entitlements: as the shop sold them, as entitlements says',
  phones: 'Purchases on phones: as the owner’s policy prescribes, as device says',
};

export function salesTable(rows: SalesRow[]): string {
  return (Object.keys(titles) as SalesRow['list'][]).map((list) => section(list, rows)).join('\n\n');
}

function section(list: SalesRow['list'], rows: SalesRow[]): string {
  const own = rows.filter((row) => row.list === list);
  const priced = list === 'transactions';
  const head = `  ${''.padEnd(46)}${cells(['sold', 'quantity', 'gross'], priced)}${cells(['API', 'quantity', 'gross'], priced)}   agrees`;
  return [`  ${titles[list]}`, head, ...own.map((row) => line(row, priced))].join('\n');
}

function line({ productId, state, sold, said, agrees }: SalesRow, priced: boolean): string {
  const name = `${productId.padEnd(18)}${state}`.padEnd(46);
  return `  ${name}${cells(wordsOf(sold), priced)}${cells(wordsOf(said), priced)}   ${agrees ? 'yes' : 'NO'}`;
}

function wordsOf({ number, quantity, gross }: Count): [string, string, string] {
  return [String(number), String(quantity), gross];
}

function cells([number, quantity, gross]: [string, string, string], priced: boolean): string {
  return `${number.padStart(8)}${quantity.padStart(10)}${priced ? gross.padStart(15) : ''}`;
}
