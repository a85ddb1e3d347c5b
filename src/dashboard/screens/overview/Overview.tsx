// The overview of an application: how many use it, against the period before, and whether something needs a look.
import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import {
  type ActivityInput,
  OverviewActivityDocument,
  type OverviewActivityQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import { type Behind, useBehind } from '../../parts/BehindDrawer.tsx';
import { count, dayName, duration, percent, time } from '../../parts/figures.ts';
import { Columns, Panel } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import type { ChartLine } from '../../parts/plot.ts';
import { useQuestion } from '../../parts/queries.ts';
import { beforeOf, isComparable, periodBefore, pointName, pointStyle, type Range, rangeOf } from '../../parts/range.ts';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { beforeNote, type TileFigure, Tiles } from '../../parts/Tiles.tsx';
import { TimeChart } from '../../parts/TimeChart.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useApplication } from '../../session/me.ts';
import { ReportScreen } from '../ReportScreen.tsx';
import type { overviewFigures } from '../searches.ts';
import { IngestQuotas, RefusedUploads, RunningCampaigns, TopEvents } from './Panels.tsx';

export function Overview() {
  const address = useAddress('/apps/$applicationId/overview');
  const { applicationId, timeZone, search, change } = address;
  const { test = false, figure = 'active' } = search;
  const input = activityInput(applicationId, rangeOf(search, timeZone), test);
  const { from, to, unit, interval } = input;
  const [result, reread] = useQuestion({ query: OverviewActivityDocument, variables: { input } });
  const { open, drawer } = useBehind();
  return (
    <ReportScreen
      title="Overview"
      about={`Who uses the app, and what needs a look. Days in ${timeZone}.`}
      address={address}
      question={<RangePicker range={{ from, to, unit, interval }} timeZone={timeZone} change={change} />}
      {...{ result, reread, lines: 12 }}
      pick={(data) => data.activity}
      below={
        <>
          <Columns>
            <TopEvents range={{ applicationId, from, to, unit, includeTest: test }} open={open} />
            <Stack>
              <RunningCampaigns />
              <RefusedUploads from={from} to={to} />
              <IngestQuotas />
            </Stack>
          </Columns>
          {drawer}
        </>
      }
    >
      {(activity) => (
        <>
          <NothingYet activity={activity} />
          <Totals activity={activity} input={input} open={open} />
          <ActivityChart
            activity={activity}
            input={input}
            timeZone={timeZone}
            figure={figure}
            choose={(next) => change({ figure: next })}
            open={open}
          />
        </>
      )}
    </ReportScreen>
  );
}

interface TotalsProps {
  activity: Activity;
  input: ActivityQuestion;
  open: (behind: Behind) => void;
}

function Totals({ activity, input, open }: TotalsProps) {
  const { timeZone } = useApplication();
  const before = beforeOf(input);
  const openTotal = (figure: OpenFigure, name: string): void =>
    open({
      title: `${name}, ${dayName(input.from)} to ${dayName(input.to)}`,
      of: { activity: input },
      point: { activity: { figure } },
    });
  return (
    <div>
      <OverviewTiles
        activity={activity}
        units={input.unit === 'USER' ? 'users' : 'devices'}
        until={dayName(input.to)}
        open={openTotal}
      />
      <Text size="xs" c="dimmed" mt={4}>
        Compared with {dayName(before.from)} to {dayName(before.to)}.{' '}
        {activity.points.at(-1)?.complete === false && 'This range is not finished: its figures can still grow. '}
        As of {time(activity.asOf, timeZone, 'second')}.
      </Text>
    </div>
  );
}

type OpenFigure = 'ACTIVE' | 'NEW' | 'SESSIONS';

interface OverviewTilesProps {
  activity: Activity;
  /** `devices` or `users`. */
  units: string;
  /** The last day of the range as people read it. */
  until: string;
  open: (figure: OpenFigure, title: string) => void;
}

/** The figures of the whole range, each with the one of the period before. Units and sessions open their devices. */
function OverviewTiles({ activity, units, until, open }: OverviewTilesProps) {
  const { totals, previous, stickiness } = activity;
  const before = previous?.totals;
  const opened = (name: string, figure: OpenFigure, [now, last]: [number, number | undefined]): TileFigure => ({
    name,
    value: count(now),
    note: beforeNote(now, last, count),
    ...(now > 0 && { behind: { label: `${name}, show the devices`, open: () => open(figure, name) } }),
  });
  const { medianSessionSeconds: median, events } = totals;
  return (
    <Tiles
      figures={[
        opened(`Active ${units}`, 'ACTIVE', [totals.active, before?.active]),
        opened(`New ${units}`, 'NEW', [totals.new, before?.new]),
        opened('Sessions', 'SESSIONS', [totals.sessions, before?.sessions]),
        {
          name: 'Median session',
          value: duration(median),
          note: beforeNote(median, before?.medianSessionSeconds, duration),
          title: 'Of two sessions one is shorter and one is longer. Sessions without an end are left out.',
        },
        {
          name: 'Events',
          value: count(events),
          note: beforeNote(events, before?.events, count),
          title: 'Without the EventTriggered that the SDK adds to each event of the app.',
        },
        {
          name: 'Stickiness',
          value: percent(stickiness),
          note: `30 days to ${until.replace(/ \d{4}$/, '')}`,
          title: `The mean number of ${units} active on a day, of all that are active in these 30 days.`,
        },
      ]}
    />
  );
}

interface ActivityChartProps {
  activity: Activity;
  input: ActivityQuestion;
  timeZone: string;
  figure: ChartFigure;
  choose: (figure: ChartFigure) => void;
  open: (behind: Behind) => void;
}

/** One figure of activity over time, with the period before below it where their points have the same lengths. */
function ActivityChart({ activity, input, timeZone, figure, choose, open }: ActivityChartProps) {
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
          maw="100%"
          style={{ overflowX: 'auto' }}
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

/** What the overview says of a range without any activity: where to look next. */
function NothingYet({ activity }: { activity: Activity }) {
  const { applicationId } = useApplication();
  if (activity.totals.active > 0) return null;
  const params = { applicationId };
  return (
    <Alert variant="default" title="No activity in this range">
      Choose more days, or{' '}
      <TextLink to="/apps/$applicationId/first-event" params={params} underline="always">
        send an event
      </TextLink>
      .{' '}
      <TextLink to="/apps/$applicationId/live" params={params} underline="always">
        Live
      </TextLink>{' '}
      shows what arrives, and which uploads are refused.
    </Alert>
  );
}

type Activity = NonNullable<OverviewActivityQuery['activity']>;
type ChartFigure = (typeof overviewFigures)[number];

/** Activity has no hours; the URL may still name them. */
function activityInput(applicationId: string, range: Range, includeTest: boolean) {
  const { from, to, unit } = range;
  const interval = range.interval === 'HOUR' ? 'DAY' : range.interval;
  return { applicationId, from, to, unit, interval, includeTest, compare: true } satisfies ActivityInput;
}
type ActivityQuestion = ReturnType<typeof activityInput>;

function chartLines(activity: Activity, figure: ChartFigure, names: { now: string; before: string | null }) {
  const now: ChartLine = { name: names.now, values: activity.points.map((point) => point[figure]), color: 1 };
  const before = activity.previous?.points;
  if (names.before === null || !before) return [now];
  const values = activity.points.map((_, at) => before[at]?.[figure] ?? null);
  return [now, { name: names.before, values, color: 7, before: true }];
}

/** The activity whose devices are asked for: the point alone, or the whole range. */
const openable = { active: 'ACTIVE', new: 'NEW', sessions: 'SESSIONS' } as const;
