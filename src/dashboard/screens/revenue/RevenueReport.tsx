// The report of one currency: tiles, chart and breakdown.
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { RevenueDocument, type RevenueQuery } from '../../../../generated/screens/revenue/graphql.ts';
import type { ChartLine } from '../../parts/chart/plot.ts';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { axisCount, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import type { Place } from '../../parts/PlaceLink.tsx';
import { transactionsOf } from '../../parts/purchases/links.ts';
import { beforeOf, dayBefore, daysOf, rangeOf } from '../../parts/range/range.ts';
import { dayOf } from '../../parts/range/zonedTime.ts';
import { Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { TransactionsSearch } from '../searches.ts';
import { RevenueBreakdown } from './RevenueBreakdown.tsx';
import { figureNames, isAmount, lineOf, nameOf, openingOf, type Report } from './revenueFigures.ts';
import { RevenueTiles } from './RevenueTiles.tsx';
import { revenueFigureNames, type RevenueSearch } from '../searches.ts';
import { type Figure } from './revenueFigures.ts';

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

export function RevenueReport({ currency, search, change }: RevenueReportProps) {
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
