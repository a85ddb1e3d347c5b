// The cohorts as a heat table. Each figure opens the devices behind it; arrow keys go from figure to figure.
import { UnstyledButton } from '@mantine/core';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { count, percent } from '../../parts/figures.ts';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useArrowKeys } from '../../parts/table/useArrowKeys.ts';
import { begunPeriods, cohortWords, stateOf, sumOf, type Cohort, type Times } from './cohorts.ts';
import classes from './Retention.module.css';
import type { RetentionQuestion } from './question.ts';

interface CohortTableProps {
  /** Without the empty ones. */
  cohorts: readonly Cohort[];
  times: Times;
  question: RetentionQuestion;
  open: (behind: Behind) => void;
}

const intervals = { DAY: 'Day', WEEK: 'Week', MONTH: 'Month' };

/** The first row has the sums, and no cohort. */
type Row = Cohort | null;

export function CohortTable({ cohorts, times, question, open }: CohortTableProps) {
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const keys = useArrowKeys();
  const behind = (cohort: Cohort, index: number | null): Behind => ({
    title: `${cohortWords(cohort.start, times)}, ${index === null ? 'the whole cohort' : `${intervals[question.interval]} ${index}`}`,
    of: { retention: question },
    point: { retention: { cohort: cohort.start, ...(index !== null && { index }) } },
  });
  const total = cohorts.reduce((sum, { size }) => sum + size, 0);
  const name = (row: Row): string => (row ? cohortWords(row.start, times) : 'All');
  const columns: Column<Row>[] = [
    { key: 'cohort', head: 'Cohort', rowHead: true, cell: name },
    {
      key: 'size',
      head: question.unit === 'USER' ? 'Users' : 'Devices',
      numeric: true,
      cell: (row) => (
        <Figure
          label={row ? `${count(row.size)} ${units} of ${name(row)}: show devices` : null}
          open={() => row && open(behind(row, null))}
        >
          {count(row ? row.size : total)}
        </Figure>
      ),
    },
    ...Array.from({ length: begunPeriods(cohorts, times) }, (_, index): Column<Row> => ({
      key: `period ${index}`,
      head: `${intervals[question.interval]} ${index}`,
      numeric: true,
      className: classes.cell,
      cell: (row) =>
        row ? (
          <Period cohort={row} index={index} times={times} units={units} open={() => open(behind(row, index))} />
        ) : (
          <SumFigure cohorts={cohorts} index={index} />
        ),
    })),
  ];
  return (
    <div {...keys}>
      <DataTable
        caption="Cohorts and how many came back"
        columns={columns}
        rows={[null, ...cohorts]}
        rowKey={(row) => row?.start ?? 'all'}
        empty={null}
      />
    </div>
  );
}

/** Without a label there is nothing to open. */
function Figure({ label, open, children }: { label: string | null; open: () => void; children: string }) {
  if (label === null) return <>{children}</>;
  return (
    <UnstyledButton className={classes.size} aria-label={label} aria-haspopup="dialog" tabIndex={-1} onClick={open}>
      {children}
    </UnstyledButton>
  );
}

interface PeriodProps {
  cohort: Cohort;
  index: number;
  times: Times;
  units: string;
  open: () => void;
}

function Period({ cohort, index, times, units, open }: PeriodProps) {
  const state = stateOf(cohort, index, times);
  if (state === 'later') return null;
  const value = cohort.periods[index]!.count;
  const share = value / cohort.size;
  const shown = (
    <>
      <span>{percent(share)}</span>
      <span className={classes.count}>{count(value)}</span>
    </>
  );
  const style = { '--share': share } as React.CSSProperties;
  const common = { className: classes.heat, style, 'data-open': state === 'open' || undefined };
  if (value === 0) return <div {...common}>{shown}</div>;
  const unfinished = state === 'open' ? ', not finished' : '';
  const label = `${percent(share)} ${count(value)} of ${count(cohort.size)} ${units}${unfinished}: show devices`;
  return (
    <UnstyledButton {...common} aria-label={label} aria-haspopup="dialog" tabIndex={-1} onClick={open}>
      {shown}
    </UnstyledButton>
  );
}

function SumFigure({ cohorts, index }: { cohorts: readonly Cohort[]; index: number }) {
  const sum = sumOf(cohorts, index);
  if (sum.size === 0) return null;
  return (
    <div className={classes.heat} style={{ '--share': sum.count / sum.size } as React.CSSProperties}>
      <span>{percent(sum.count / sum.size)}</span>
      <span className={classes.count}>
        {count(sum.count)} of {count(sum.size)}
      </span>
    </div>
  );
}
