// What the purchases of one currency brought: totals against the period before, a chart, and a breakdown.
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  RevenueCurrenciesDocument,
  RevenueDocument,
  type RevenueQuery,
} from '../../../../generated/screens/revenue/graphql.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { axisCount, count, minus, money, percent, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import type { ChartLine } from '../../parts/plot.ts';
import { type Place, transactionsOf } from '../../parts/purchases.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { beforeOf, dayBefore, dayOf, daysOf, rangeOf } from '../../parts/range.ts';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { beforeNote, Tiles } from '../../parts/Tiles.tsx';
import { TimeChart } from '../../parts/TimeChart.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useApplication } from '../../session/me.ts';
import { ReportScreen } from '../ReportScreen.tsx';
import { revenueFigureNames, type RevenueSearch, type TransactionsSearch } from '../searches.ts';
import {
  type Breakdown,
  type BreakdownLine,
  type Figure,
  figureNames,
  inDigits,
  isAmount,
  lineOf,
  nameOf,
  numberOf,
  openingOf,
  type Report,
  sumsOf,
  textOf,
  type Totals,
} from './revenueFigures.ts';

const breakdownNames: Record<Breakdown, string> = {
  NONE: 'Nothing',
  PRODUCT: 'Product',
  COUNTRY: 'Country of the store',
  PLATFORM: 'Platform',
};

export function Revenue() {
  const address = useAddress('/apps/$applicationId/revenue');
  const { applicationId, timeZone, search, change } = address;
  const { by = 'NONE', test = false } = search;
  const variables = { applicationId, includeTest: test };
  const [result, reread] = useQuestion({ query: RevenueCurrenciesDocument, variables });
  return (
    <ReportScreen
      title="Revenue"
      about={`Purchases before taxes and the store's share. Days in ${timeZone}.`}
      address={address}
      adds="Sandbox"
      {...{ result, reread }}
      pick={(data) => data.revenueCurrencies}
    >
      {(found) => {
        const currency = search.currency ?? found[0];
        if (currency === undefined) return <NoPurchases applicationId={applicationId} test={test} />;
        return (
          <>
            <Group gap={8} align="end">
              <NativeSelect
                size="xs"
                label="Currency"
                value={currency}
                onChange={({ target }) => change({ currency: target.value })}
                data={found.includes(currency) ? found : [currency, ...found]}
              />
              <NativeSelect
                size="xs"
                label="Break down by"
                value={by}
                onChange={({ target }) => change({ by: target.value as Breakdown })}
                data={Object.entries(breakdownNames).map(([value, label]) => ({ value, label }))}
              />
              <RangePicker
                range={rangeOf(search, timeZone)}
                timeZone={timeZone}
                change={(next) => change(next as Partial<RevenueSearch>)}
                units={false}
              />
            </Group>
            <RevenueReport currency={currency} search={search} change={change} />
          </>
        );
      }}
    </ReportScreen>
  );
}

function NoPurchases({ applicationId, test }: { applicationId: string; test: boolean }) {
  return (
    <Empty title="No purchases with a price yet">
      {!test && 'Purchases of the sandbox are left out: turn on “Sandbox” to see them. '}
      Apps report their purchases, and the service asks the store for the prices.{' '}
      <TextLink inherit underline="always" to="/apps/$applicationId/transactions" params={{ applicationId }}>
        See all transactions
      </TextLink>
    </Empty>
  );
}

interface RevenueReportProps {
  currency: string;
  search: RevenueSearch;
  change: (next: Partial<RevenueSearch>) => void;
}

/** The transactions of a range: of one product, or what one figure counts. */
type PlaceOf = (range: { from: string; to: string }, narrower: Pick<TransactionsSearch, 'product' | 'counts'>) => Place;

/** A chart has so many colours. */
const mostLines = 7;

const unitOf = (figure: Figure, currency: string): string =>
  isAmount(figure) ? `${figureNames[figure]} in ${currency}` : figureNames[figure];

/** The report of one currency: tiles, chart and breakdown. */
function RevenueReport({ currency, search, change }: RevenueReportProps) {
  const { applicationId, timeZone } = useApplication();
  const { by = 'NONE', test = false } = search;
  const { from, to, interval } = rangeOf(search, timeZone);
  const asked = { applicationId, currency, from, to, interval: interval as 'DAY', includeTest: test };
  const variables = { asked: { ...asked, breakdown: by }, before: { ...asked, ...beforeOf({ from, to }) } };
  const [result, read] = useQuestion({ query: RevenueDocument, variables });
  const days = daysOf({ from, to });
  const beforeName = days === 1 ? 'day before' : `${days} days before`;
  const placeOf: PlaceOf = (range, narrower) =>
    transactionsOf(applicationId, {
      ...range,
      ...narrower,
      state: 'RESOLVED',
      revenue: currency,
      test: test || undefined,
    });
  return (
    <Loaded result={result} pick={(data) => data.revenue} retry={read} lines={8}>
      {(report) => (
        <Stack>
          <RevenueTiles
            totals={report.totals}
            before={result.data?.before?.totals ?? null}
            currency={currency}
            placeOf={(figure) => placeOf({ from, to }, { counts: openingOf(figure)?.counts })}
          />
          <Text size="xs" c="dimmed">
            {report.points.at(-1)?.complete === false && 'The range is not finished: its figures can still grow. '}
            Compared with the {beforeName}. Purchases and renewals count when they were bought, refunds when they were
            paid back. Net is gross minus refunds. As of {time(report.asOf, timeZone, 'second')}.
          </Text>
          <Panel
            title={`${unitOf(search.figure ?? 'gross', currency)} over time`}
            actions={<FigureChoice search={search} change={change} />}
          >
            <RevenueChart
              report={report}
              before={result.data?.before ?? null}
              {...{ currency, search, beforeName }}
              place={placeOf}
            />
          </Panel>
          {report.breakdown && (
            <RevenueBreakdown
              lines={report.breakdown}
              total={report.totals}
              {...{ currency, by }}
              placeOf={(product) => placeOf({ from, to }, { product })}
            />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function FigureChoice({ search, change }: Pick<RevenueReportProps, 'search' | 'change'>) {
  return (
    <NativeSelect
      size="xs"
      aria-label="Figure of the chart"
      value={search.figure ?? 'gross'}
      onChange={({ target }) => change({ figure: target.value as Figure })}
      data={revenueFigureNames.map((value) => ({ value, label: figureNames[value] }))}
    />
  );
}

interface RevenueChartProps {
  report: Report;
  before: RevenueQuery['before'];
  currency: string;
  search: RevenueSearch;
  beforeName: string;
  place: PlaceOf;
}

function RevenueChart({ report, before, currency, search, beforeName, place }: RevenueChartProps) {
  const { timeZone } = useApplication();
  const navigate = useNavigate();
  const { figure = 'gross', by = 'NONE' } = search;
  const { points, breakdown } = report;
  const { to, interval } = rangeOf(search, timeZone);
  const lines = useMemo(
    () => chartLines({ report, before, figure, by, currency, beforeName }),
    [report, before, figure, by, currency, beforeName],
  );
  const open = (at: number, line: ChartLine): void => {
    const next = points[at + 1];
    const range = {
      from: dayOf(points[at]!.start, timeZone),
      to: next ? dayBefore(dayOf(next.start, timeZone), 1) : to,
    };
    const value = breakdown?.[lines.indexOf(line)]?.value ?? undefined;
    const product = by === 'PRODUCT' ? value : undefined;
    void navigate(place(range, { product, counts: openingOf(figure)?.counts }));
  };
  const opens = openingOf(figure) !== null && (by === 'NONE' || by === 'PRODUCT');
  return (
    <>
      <TimeChart
        title={unitOf(figure, currency)}
        points={points}
        lines={lines}
        timeZone={timeZone}
        by={interval === 'MONTH' ? 'month' : 'day'}
        format={axisCount}
        open={opens ? open : undefined}
      />
      {breakdown && breakdown.length > mostLines && (
        <Text size="xs" c="dimmed">
          The chart has the {mostLines} with the highest gross. The table below has all.
        </Text>
      )}
    </>
  );
}

interface LinesOf extends Omit<RevenueChartProps, 'search' | 'place'> {
  figure: Figure;
  by: NonNullable<RevenueSearch['by']>;
}

function chartLines({ report, before, figure, by, currency, beforeName }: LinesOf): ChartLine[] {
  const { points, breakdown } = report;
  if (breakdown) {
    return breakdown
      .slice(0, mostLines)
      .map((line, at) => lineOf(line.points, figure, { currency, name: nameOf(line, by), color: at + 1 }));
  }
  const now = lineOf(points, figure, { currency, name: figureNames[figure], color: 1 });
  // Calendar weeks and months of the two ranges need not be as many.
  if (before?.points.length !== points.length) return [now];
  return [now, lineOf(before.points, figure, { currency, name: beforeName, color: 1, before: true })];
}

interface RevenueTilesProps {
  totals: Totals;
  /** Null where the service gave none. */
  before: Totals | null;
  currency: string;
  placeOf: (figure: Figure) => Place;
}

const tileTitles = {
  gross: 'What was paid, before refunds.',
  net: 'Gross minus the refunds of the same days.',
  refunds: 'What was paid back in the range, also for purchases before it.',
  purchases: 'Purchases that are no renewals.',
  renewals: 'Later periods of subscriptions.',
  payers: 'The different users or devices that paid.',
};

/** The figures of the whole range, each with the period before. */
function RevenueTiles({ currency, placeOf, ...exact }: RevenueTilesProps) {
  const totals = inDigits(exact.totals, currency);
  const before = exact.before && inDigits(exact.before, currency);
  return (
    <Tiles
      figures={revenueFigureNames.map((figure) => ({
        name: figureNames[figure],
        value: textOf(figure, totals, currency),
        title: titleOf(figure, exact.totals, { shown: textOf(figure, totals, currency), currency }),
        note:
          before &&
          beforeNote(numberOf(figure, totals), numberOf(figure, before), () => textOf(figure, before, currency)),
        ...behindOf(figure, totals, placeOf),
      }))}
    />
  );
}

function titleOf(figure: Figure, exact: Totals, { shown, currency }: { shown: string; currency: string }): string {
  const text = textOf(figure, exact, currency);
  return text === shown ? tileTitles[figure] : `${tileTitles[figure]} Exactly ${text}.`;
}

function behindOf(figure: Figure, totals: Totals, placeOf: RevenueTilesProps['placeOf']) {
  const opening = openingOf(figure);
  if (!opening || numberOf(figure, totals) === 0) return {};
  return { behind: { place: placeOf(figure), label: `${figureNames[figure]}, ${opening.label}` } };
}

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

/** The sums of the range for each product, country or platform. */
function RevenueBreakdown({ lines, total, currency, by, placeOf }: RevenueBreakdownProps) {
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
        return (
          <TextLink inherit {...placeOf(value)}>
            {name}
          </TextLink>
        );
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
