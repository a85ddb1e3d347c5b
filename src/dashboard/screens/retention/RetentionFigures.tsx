// The response of a retention: how to read it, and its cohorts as a heat table.
import { Group, Stack, Text } from '@mantine/core';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import { count, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { CohortTable } from './CohortTable.tsx';
import type { Cohort, RetentionAnswer, Times } from './cohorts.ts';
import classes from './Retention.module.css';
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
