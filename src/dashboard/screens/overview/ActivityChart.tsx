// One figure of activity over time, with the period before below it where their points have the same lengths.
import { SegmentedControl, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ActivityInput } from '../../../../generated/screens/overview/graphql.ts';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { canCompare, chartLines, type Activity, type ChartFigure } from './overview.ts';

interface ActivityChartProps {
  activity: Activity;
  input: Pick<ActivityInput, 'from' | 'to' | 'interval' | 'unit'>;
  timeZone: string;
  figure: ChartFigure;
  choose: (figure: ChartFigure) => void;
  /** Opens the devices of a point. Events have none. */
  open: (figure: Exclude<ChartFigure, 'events'>, start: string) => void;
}

export function ActivityChart({ activity, input, timeZone, figure, choose, open }: ActivityChartProps) {
  const units = input.unit === 'USER' ? 'users' : 'devices';
  const names: Record<ChartFigure, string> = {
    active: `Active ${units}`,
    new: `New ${units}`,
    sessions: 'Sessions',
    events: 'Events',
  };
  const compared = canCompare(input);
  const now = names[figure];
  const lines = useMemo(
    () => chartLines(activity, figure, { now, before: compared ? 'The period before' : null }),
    [activity, figure, now, compared],
  );
  return (
    <Panel
      title="Activity"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Figure of the chart"
          value={figure}
          onChange={(value) => choose(value as ChartFigure)}
          data={Object.entries(names).map(([value, label]) => ({ value, label }))}
        />
      }
    >
      <TimeChart
        title={now}
        points={activity.points}
        lines={lines}
        timeZone={timeZone}
        by={input.interval === 'MONTH' ? 'month' : 'day'}
        open={figure === 'events' ? undefined : (point) => open(figure, activity.points[point]!.start)}
      />
      {!compared && (
        <Text size="xs" c="dimmed">
          The period before is drawn where its points are as long as these: by day, and by week of a range of whole
          weeks.
        </Text>
      )}
    </Panel>
  );
}
