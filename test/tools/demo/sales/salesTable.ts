// Writes one line for each product and state: what the shop sold beside what the API says.
import type { Count, SalesRow } from './salesComparison.ts';

const titles: Record<SalesRow['list'], string> = {
  transactions: 'Transactions: sold by the shop, said by storeTransactions',
  entitlements: 'Entitlements: as the shop sold them, as entitlements says',
  phones: 'Purchases on phones: as the owner’s policy prescribes, as device says',
};

const columnsOf: Record<SalesRow['list'], Columns> = {
  transactions: ['number', 'quantity', 'gross'],
  entitlements: ['number', 'quantity'],
  phones: ['number'],
};
const widths: Record<keyof Count, number> = { number: 8, quantity: 10, gross: 15 };
const nameWidth = 54;

export function salesTable(rows: SalesRow[]): string {
  return (Object.keys(titles) as SalesRow['list'][]).map((list) => section(list, rows)).join('\n\n');
}

type Columns = (keyof Count)[];

function section(list: SalesRow['list'], rows: SalesRow[]): string {
  const own = rows.filter((row) => row.list === list);
  const columns = columnsOf[list];
  const head = [
    { number: 'sold', quantity: 'quantity', gross: 'gross' },
    { number: 'API', quantity: 'quantity', gross: 'gross' },
  ];
  return [
    `  ${titles[list]}`,
    written('', head, { columns, last: 'agrees' }),
    ...own.map((row) => line(row, columns)),
  ].join('\n');
}

function line({ productId, state, sold, said, agrees }: SalesRow, columns: Columns): string {
  return written(`${productId.padEnd(18)}${state}`, [sold, said], { columns, last: agrees ? 'yes' : 'NO' });
}

function written(
  name: string,
  sides: Record<keyof Count, string | number>[],
  { columns, last }: { columns: Columns; last: string },
): string {
  const cells = sides.map((side) => columns.map((column) => String(side[column]).padStart(widths[column])).join(''));
  return `  ${name.padEnd(nameWidth)}${cells.join('')}   ${last}`;
}
