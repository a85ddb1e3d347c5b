// The response of a retention: how to read it, and its cohorts as a heat table.
import { Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useBehind, type Behind } from '../../parts/BehindDrawer.tsx';
import { DataTable, useArrowKeys, type Column } from '../../parts/DataTable.tsx';
import { count, percent, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import classes from './Retention.module.css';
import { begunPeriods, cohortWords, stateOf, sumOf, type Cohort, type RetentionAnswer, type Times } from './cohorts.ts';
import type { RetentionQuestion } from './question.ts';

interface RetentionFiguresProps {
  retention: RetentionAnswer;
  question: RetentionQuestion;
  timeZone: string;
}

export function RetentionFigures({ retention, question, timeZone }: RetentionFiguresProps) {
  const behind = useBehind();
  const { asOf } = retention;
  const cohorts = retention.cohorts.filter(({ size }) => size > 0);
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const times: Times = { timeZone, interval: question.interval, asOf };
  return (
    <Stack gap="sm">
      {cohorts.length === 0 ? (
        <Empty title={`No ${units} began in this range`}>Choose more days, or another first event.</Empty>
      ) : (
        <CohortTable cohorts={cohorts} times={times} question={question} open={behind.open} />
      )}
      <div>
        {cohorts.length > 0 && <Reading cohorts={cohorts} of={retention.cohorts.length} question={question} />}
        {retention.presentProperties && (
          <Text size="xs" c="dimmed">
            Properties of users and devices are those of now, not those at the time of the event.
          </Text>
        )}
        <Text size="xs" c="dimmed">
          Read {time(asOf, timeZone, 'second')} ({timeZone}).
        </Text>
      </div>
      {behind.drawer}
    </Stack>
  );
}

interface ReadingProps {
  cohorts: readonly Cohort[];
  /** How many there are with the empty ones. */
  of: number;
  question: RetentionQuestion;
}

/** How to read the table. */
function Reading({ cohorts, of, question }: ReadingProps) {
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const interval = intervalWords[question.interval];
  const empty = of - cohorts.length;
  const open = cohorts.some(({ periods }) => periods.some(({ complete }) => !complete));
  return (
    <>
      {open && (
        <Group gap={6} wrap="nowrap">
          <span className={classes.openMark} aria-hidden />
          <Text size="xs" c="dimmed">
            Not finished: the period has not ended, or ended less than an hour ago. Its count may grow.
          </Text>
        </Group>
      )}
      <Text size="xs" c="dimmed">
        In the row “All” each period counts only the cohorts for which it is finished.
      </Text>
      {question.mode === 'ON_OR_AFTER' && (
        <Text size="xs" c="dimmed">
          Later returns count too, so a finished period may still grow.
        </Text>
      )}
      {empty > 0 && (
        <Text size="xs" c="dimmed">
          {empty === 1
            ? `1 ${interval} is left out: no ${units} began in it.`
            : `${count(empty)} ${interval}s are left out: no ${units} began in them.`}
        </Text>
      )}
    </>
  );
}

const intervalWords = { DAY: 'day', WEEK: 'week', MONTH: 'month' };

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

/** The cohorts as a heat table. Each figure opens the devices behind it; arrow keys go from figure to figure. */
function CohortTable({ cohorts, times, question, open }: CohortTableProps) {
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
      style: { padding: 1 },
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
