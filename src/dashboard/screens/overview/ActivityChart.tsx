// One figure of activity over time, with the period before below it where their points have the same lengths.
import { SegmentedControl, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { isComparable, periodBefore, pointName, pointStyle } from '../../parts/range/points.ts';
import { chartLines, openable, type Activity, type ActivityQuestion, type ChartFigure } from './overview.ts';
import classes from './Overview.module.css';

interface ActivityChartProps {
  activity: Activity;
  input: ActivityQuestion;
  timeZone: string;
  figure: ChartFigure;
  choose: (figure: ChartFigure) => void;
  open: (behind: Behind) => void;
}

export function ActivityChart({ activity, input, timeZone, figure, choose, open }: ActivityChartProps) {
  const units = input.unit === 'USER' ? 'users' : 'devices';
  const names = { active: `Active ${units}`, new: `New ${units}`, sessions: 'Sessions', events: 'Events' };
  const now = names[figure];
  const before = isComparable(input) ? periodBefore(input) : null;
  const lines = useMemo(() => chartLines(activity, figure, { now, before }), [activity, figure, now, before]);
  const openPoint = (at: number): void => {
    if (figure === 'events') return;
    const { start } = activity.points[at]!;
    open({
      title: `${now}, ${pointName(start, input.interval, timeZone)}`,
      of: { activity: input },
      point: { activity: { start, figure: openable[figure] } },
    });
  };
  return (
    <Panel
      title="Activity"
      actions={
        <SegmentedControl
          size="xs"
          className={classes.figures}
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
        by={pointStyle(input.interval)}
        open={figure === 'events' ? undefined : openPoint}
      />
      <Text size="xs" c="dimmed">
        {before === null && 'The period before is not drawn: its points are not as long as these. '}
        {figure === 'events' ? 'The events of a name open their devices: see below.' : 'A point opens its devices.'}
      </Text>
    </Panel>
  );
}
