// The response of a retention: how to read it, and its cohorts as a heat table.
import { Group, Stack, Text } from '@mantine/core';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import { time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { CohortTable } from './CohortTable.tsx';
import type { RetentionAnswer } from './cohorts.ts';
import classes from './Retention.module.css';
import type { RetentionQuestion } from './search.ts';

interface RetentionFiguresProps {
  retention: RetentionAnswer;
  question: RetentionQuestion;
  timeZone: string;
}

export function RetentionFigures({ retention, question, timeZone }: RetentionFiguresProps) {
  const behind = useBehind();
  const { cohorts, asOf, presentProperties } = retention;
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const open = cohorts.some(({ periods }) => periods.some(({ complete }) => !complete));
  return (
    <Stack gap="sm">
      {cohorts.every(({ size }) => size === 0) ? (
        <Empty title={`No ${units} began in this range`}>Choose more days, or another first event.</Empty>
      ) : (
        <CohortTable retention={retention} question={question} timeZone={timeZone} open={behind.open} />
      )}
      <div>
        {open && (
          <Group gap={6}>
            <span className={classes.openMark} aria-hidden />
            <Text size="xs" c="dimmed">
              Not finished: the period has not ended, or ended less than an hour ago. Its count may grow.
            </Text>
          </Group>
        )}
        {presentProperties && (
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
