// The sums of the range for each product, country or platform.
import { minus } from '../../parts/amounts.ts';
import { count, money, percent } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { PlaceLink, type Place } from '../../parts/PlaceLink.tsx';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { nameOf, sumsOf, type BreakdownLine, type Totals } from './revenueFigures.ts';
import type { Breakdown } from './revenueFigures.ts';

interface RevenueBreakdownProps {
  lines: readonly BreakdownLine[];
  total: Totals;
  currency: string;
  by: Breakdown;
  placeOf: (product: string) => Place;
}

const titles: Record<Breakdown, string> = {
  NONE: '',
  PRODUCT: 'By product',
  COUNTRY: 'By country of the store',
  PLATFORM: 'By platform',
};

export function RevenueBreakdown({ lines, total, currency, by, placeOf }: RevenueBreakdownProps) {
  const rows = lines.map((line) => ({ ...line, name: nameOf(line, by), sums: sumsOf(line.points) }));
  type Row = (typeof rows)[number];
  const amount = (key: string, head: string, of: (row: Row) => string): Column<Row> => ({
    key,
    head,
    numeric: true,
    cell: (row) => money(of(row), currency),
  });
  const columns: Column<Row>[] = [
    {
      key: 'value',
      head: by === 'PRODUCT' ? 'Product' : by === 'COUNTRY' ? 'Country' : 'Platform',
      title: ({ name }) => name,
      cell: ({ name, value }) => {
        if (by !== 'PRODUCT' || value === null || value === undefined) return name;
        return <PlaceLink {...placeOf(value)}>{name}</PlaceLink>;
      },
    },
    amount('gross', 'Gross', ({ sums }) => sums.gross),
    {
      key: 'share',
      head: 'Of all gross',
      numeric: true,
      cell: ({ sums }) => percent(Number(total.gross) === 0 ? null : Number(sums.gross) / Number(total.gross)),
    },
    amount('refunds', 'Refunds', ({ sums }) => sums.refunds),
    amount('net', 'Net', ({ sums }) => minus(sums.gross, sums.refunds)),
    { key: 'purchases', head: 'Purchases', numeric: true, cell: ({ sums }) => count(sums.purchases) },
    { key: 'renewals', head: 'Renewals', numeric: true, cell: ({ sums }) => count(sums.renewals) },
  ];
  return (
    <Panel title={titles[by]}>
      <DataTable
        caption={`Revenue ${titles[by].toLowerCase()}`}
        columns={columns}
        rows={rows}
        rowKey={({ value, isOther }) => `${isOther} ${value}`}
        empty={<Empty title="No purchases and no refunds in this range" />}
      />
    </Panel>
  );
}
