// The overview of an application: how many use it, against the period before, and whether something needs a look.
import { Stack, Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { OverviewActivityDocument } from '../../../../generated/screens/overview/graphql.ts';
import { useBehind, type Behind } from '../../parts/behind/BehindDrawer.tsx';
import { dayName, time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { beforeOf, rangeOf } from '../../parts/range/range.ts';
import { Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { ActivityChart } from './ActivityChart.tsx';
import { IngestQuotas } from './IngestQuotas.tsx';
import { NothingYet } from './NothingYet.tsx';
import classes from './Overview.module.css';
import { activityInput, type Activity, type ActivityQuestion } from './overview.ts';
import { OverviewTiles, type OpenFigure } from './OverviewTiles.tsx';
import { RefusedUploads } from './RefusedUploads.tsx';
import { RunningCampaigns } from './RunningCampaigns.tsx';
import type { OverviewSearch } from '../searches.ts';
import { TopEvents } from './TopEvents.tsx';

export function Overview() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/overview' });
  const navigate = useNavigate({ from: '/apps/$applicationId/overview' });
  const change = (next: Partial<OverviewSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const { test = false, figure = 'active' } = search;
  const input = activityInput(applicationId, rangeOf(search, timeZone), test);
  const { from, to, unit, interval } = input;
  const [result, reread] = useQuestion({ query: OverviewActivityDocument, variables: { input } });
  const { open, drawer } = useBehind();
  return (
    <>
      <PageHead title="Overview" about={`Who uses the app, and what needs a look. Days in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={{ from, to, unit, interval }} timeZone={timeZone} change={change} />
        <Loaded result={result} pick={(data) => data.activity} retry={reread} lines={12}>
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
        </Loaded>
        <div className={classes.columns}>
          <TopEvents range={{ applicationId, from, to, unit, includeTest: test }} open={open} />
          <Stack>
            <RunningCampaigns />
            <RefusedUploads from={from} to={to} />
            <IngestQuotas />
          </Stack>
        </div>
      </Stack>
      {drawer}
    </>
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
