// The response of a funnel: what to know of it, its steps with bars, and its breakdown.
import { Stack, Text } from '@mantine/core';
import type { FunnelReportQuery } from '../../../../generated/screens/funnel/graphql.ts';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import { count, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { FunnelBreakdown } from './FunnelBreakdown.tsx';
import { FunnelSteps } from './FunnelSteps.tsx';
import { stillOpenFrom } from './funnelFigures.ts';
import type { FunnelQuestion } from './question.ts';

export type FunnelAnswer = NonNullable<FunnelReportQuery['funnel']>;
export type StepFigures = FunnelAnswer['steps'][number];

interface FunnelFiguresProps {
  funnel: FunnelAnswer;
  question: FunnelQuestion;
  timeZone: string;
}

export function FunnelFigures({ funnel, question, timeZone }: FunnelFiguresProps) {
  const behind = useBehind();
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const entered = funnel.steps[0]!.count;
  const open = stillOpenFrom(question, funnel.asOf, timeZone);
  return (
    <Stack gap="md">
      {entered === 0 ? (
        <Empty title={`No ${units} entered the funnel`}>
          No event of the first step has arrived in this range. Choose more days or fewer filters.
        </Empty>
      ) : (
        <>
          <FunnelSteps steps={funnel.steps} question={question} open={behind.open} />
          {funnel.breakdown && <FunnelBreakdown breakdown={funnel.breakdown} question={question} open={behind.open} />}
        </>
      )}
      <div>
        {entered > 0 && open !== null && (
          <Text size="xs" c="dimmed">
            Not finished: {units} that entered after {time(open, timeZone)} still have time for the next steps, so the
            counts from step 2 on may grow.
          </Text>
        )}
        {funnel.presentProperties && (
          <Text size="xs" c="dimmed">
            Properties of users and devices are those of now, not those at the time of the event.
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {entered > 0 && `${count(entered)} ${units} entered. `}Read {time(funnel.asOf, timeZone, 'second')} (
          {timeZone}
          ).
        </Text>
      </div>
      {behind.drawer}
    </Stack>
  );
}
