// The overview of an application: how many use it, against the period before, and whether something needs a look.
import { Anchor, Stack, Switch, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { OverviewActivityDocument } from '../../../../generated/screens/overview/graphql.ts';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import { dayName, time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { rangeOf } from '../../parts/range/range.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { ActivityChart } from './ActivityChart.tsx';
import classes from './Overview.module.css';
import { activityInput, rangeBefore, type Activity } from './overview.ts';
import { RefusedUploads } from './RefusedUploads.tsx';
import { RunningCampaigns } from './RunningCampaigns.tsx';
import { Tiles } from './Tiles.tsx';
import { TopEvents } from './TopEvents.tsx';

export function Overview() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/overview' });
  const navigate = useNavigate({ from: '/apps/$applicationId/overview' });
  const change = (next: Partial<typeof search>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const input = activityInput(applicationId, rangeOf(search, timeZone), search.test ?? false);
  const { interval, compare, ...range } = input;
  const [result, reread] = useQuery({ query: OverviewActivityDocument, variables: { input } });
  const { open, drawer } = useBehind();
  const figure = search.figure ?? 'active';
  return (
    <>
      <PageHead title="Overview" about={`Days of ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={search.test ?? false}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={{ ...range, interval }} timeZone={timeZone} change={change} />
        <Loaded result={result} pick={(data) => data.activity} retry={() => reread({ requestPolicy: 'network-only' })} lines={12}>
          {(activity) => (
            <>
              <NothingYet activity={activity} />
              <div>
                <Tiles
                  activity={activity}
                  unit={input.unit}
                  until={dayName(input.to)}
                  open={(figure, label) =>
                    open({ title: `${label}, whole range`, of: { activity: input }, point: { activity: { figure } } })
                  }
                />
                <Compared activity={activity} range={range} timeZone={timeZone} />
              </div>
              <ActivityChart
                activity={activity}
                input={input}
                timeZone={timeZone}
                figure={figure}
                choose={(next) => change({ figure: next })}
                open={(next, start) => { /* below */ void next; void start; }}
              />
            </>
          )}
        </Loaded>
        <div className={classes.columns}>
          <TopEvents range={range} open={open} />
          <Stack>
            <RunningCampaigns />
            <RefusedUploads from={input.from} to={input.to} />
          </Stack>
        </div>
      </Stack>
      {drawer}
    </>
  );
}
