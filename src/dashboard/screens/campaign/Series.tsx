// What devices reported about the campaign over time, and the totals of the range.
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import {
  CampaignEventsDocument,
  type CampaignEventsQuery,
  type EventSeriesInput,
} from '../../../../generated/screens/campaign/graphql.ts';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import type { ChartLine } from '../../parts/chart/plot.ts';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { rangeOf } from '../../parts/range/range.ts';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Campaign.module.css';
import { reportedLines, seriesInput } from './reach.ts';
import type { SeenCampaign } from './words.ts';

export function useCampaignRange() {
  const { timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/campaign' });
  return { ...rangeOf(search, timeZone), measure: search.measure ?? ('COUNT' as const) };
}

export function Series({ campaign }: { campaign: SeenCampaign }) {
  const { applicationId, timeZone } = useApplication();
  const navigate = useNavigate({ from: '/apps/$applicationId/campaign' });
  const range = useCampaignRange();
  const asked = reportedLines(campaign.id);
  const input = seriesInput(
    applicationId,
    asked.map(({ event }) => event),
    range,
  );
  const [result, read] = useQuery({ query: CampaignEventsDocument, variables: { input } });
  return (
    <Panel title="Over time">
      <Stack gap="sm">
        <Group gap="xs" align="end">
          <RangePicker
            range={range}
            timeZone={timeZone}
            units={false}
            change={(next) => void navigate({ search: (last) => ({ ...last, ...next }) })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Count"
            value={range.measure}
            onChange={(value) =>
              void navigate({
                search: (last) => ({ ...last, measure: value === 'UNIQUE' ? ('UNIQUE' as const) : undefined }),
              })
            }
            data={[
              { value: 'COUNT', label: 'Events' },
              { value: 'UNIQUE', label: 'Devices' },
            ]}
          />
        </Group>
        <Loaded result={result} pick={(data) => data.eventSeries} retry={read} lines={8}>
          {({ series }) => <Chart series={series} names={asked.map(({ name }) => name)} input={input} />}
        </Loaded>
      </Stack>
    </Panel>
  );
}

type Line = NonNullable<CampaignEventsQuery['eventSeries']>['series'][number];

interface ChartProps {
  series: readonly Line[];
  /** Of `series`, by their index. */
  names: readonly string[];
  input: EventSeriesInput;
}

const colors = [1, 5, 4, 3, 7];

function Chart({ series, names, input }: ChartProps) {
  const { timeZone } = useApplication();
  const behind = useBehind();
  const by = input.interval === 'HOUR' ? 'hour' : input.interval === 'MONTH' ? 'month' : 'day';
  const { points, lines, shown } = useMemo(() => {
    // A line without a single event says nothing, except that of the shows.
    const some = series.filter(({ index, total }) => index === 0 || (total ?? 0) > 0);
    const drawn = some.map(({ index, points }): ChartLine => {
      return { name: names[index]!, color: colors[index]!, values: points.map(({ value }) => value ?? null) };
    });
    return { points: series[0]?.points ?? [], lines: drawn, shown: some };
    // The names are the same for every campaign.
  }, [series]);
  const open = ({ index, at }: { index: number; at?: number }): void => {
    const start = at === undefined ? undefined : points[at]!.start;
    const when = start === undefined ? `${input.from} to ${input.to}` : time(start, timeZone, by);
    const point = { eventSeries: { series: index, ...(start !== undefined && { start }) } };
    behind.open({ title: `${names[index]}, ${when}`, of: { eventSeries: input }, point });
  };
  const unit = input.measure === 'UNIQUE' ? 'devices' : 'events';
  return (
    <>
      <dl className={classes.tiles}>
        {shown.map(({ index, total }) => (
          <div key={index}>
            <dt>{names[index]}</dt>
            <dd className={classes.big}>
              <FigureButton
                label={`${count(total ?? 0)} ${unit}: ${names[index]}, in the range`}
                open={() => open({ index })}
              >
                {count(total ?? 0)}
              </FigureButton>
            </dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed">
        {input.measure === 'UNIQUE' ? 'Devices' : 'Events'} of the range, without test devices. A figure opens its
        devices.
      </Text>
      <TimeChart
        title="What devices reported"
        points={points}
        lines={lines}
        timeZone={timeZone}
        by={by}
        open={(at, line) => open({ index: names.indexOf(line.name), at })}
      />
      {behind.drawer}
    </>
  );
}
