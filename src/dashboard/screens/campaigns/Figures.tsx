// What devices reported of the campaign, and why the figures may be low.
import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import {
  CampaignEventsDocument,
  CampaignRivalsDocument,
  type CampaignEventsQuery,
  type EventSeriesInput,
} from '../../../../generated/screens/campaigns/graphql.ts';
import { useBehind } from '../../parts/BehindDrawer.tsx';
import { CampaignLink } from '../../parts/MoveCampaign.tsx';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { Tiles, type TileFigure } from '../../parts/Tiles.tsx';
import { TimeChart } from '../../parts/TimeChart.tsx';
import { count, percent, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { FigureButton } from '../../parts/links.tsx';
import type { ChartLine } from '../../parts/plot.ts';
import { rangeOf } from '../../parts/range.ts';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../session/me.ts';
import classes from './Campaign.module.css';
import { reachSteps, reasonsOf, reportedLines, seriesInput, type ReachStep, type Reason, type Rival } from './reach.ts';
import type { SeenCampaign } from './words.ts';

export function Results({ campaign: { stats, action } }: { campaign: SeenCampaign }) {
  const { shown, suspect, resolved, unavailableReasons: reasons } = stats;
  const { completed, dismissed, unavailable, skippedNoPresenter, skippedNoContinuation } = resolved;
  const all = completed + dismissed + unavailable + skippedNoPresenter + skippedNoContinuation;
  const outcome = (name: string, part: number, meaning?: string): TileFigure => {
    const share = all > 0 ? `${percent(part / all)} of outcomes` : undefined;
    const note = [share, meaning].filter((text) => text !== undefined).join('; ');
    return { name, value: count(part), ...(note !== '' && { note }) };
  };
  const known = reasons.timedOut + reasons.presenterFailed + reasons.presenterReported;
  const why = [
    reasons.timedOut > 0 && `${count(reasons.timedOut)} timed out`,
    reasons.presenterFailed > 0 && `${count(reasons.presenterFailed)} failed in the app`,
    reasons.presenterReported > 0 && `${count(reasons.presenterReported)} refused by the app`,
    unavailable > known && known > 0 && `${count(unavailable - known)} without a reason`,
  ].filter((text) => text !== false);
  return (
    <Panel title="Results since its creation">
      <Tiles
        figures={[
          { name: 'Shown', value: count(shown), note: 'events, test devices too' },
          ...(suspect > 0
            ? [
                {
                  name: 'Suspect',
                  value: count(suspect),
                  note: 'of the shown, more in a day than the frequency allows',
                },
              ]
            : []),
          outcome('Completed', completed),
          outcome('Dismissed', dismissed),
          outcome('Unavailable', unavailable),
          outcome('No presenter', skippedNoPresenter, 'the app has no code to show it'),
          outcome('Nothing waited', skippedNoContinuation, 'the app did not wait for an outcome'),
        ]}
      />
      {why.length > 0 && (
        <Text size="sm" mt="sm">
          Unavailable: {why.join(', ')}.
        </Text>
      )}
      {action && !action.blocking && all === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          The action does not block, so devices report shows alone and no outcomes.
        </Text>
      )}
    </Panel>
  );
}

function useCampaignRange() {
  const { timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/campaigns/$id' });
  return { ...rangeOf(search, timeZone), measure: search.measure ?? ('COUNT' as const) };
}

/** What devices reported about the campaign over time, and the totals of the range. */
export function Series({ campaign }: { campaign: SeenCampaign }) {
  const { applicationId, timeZone } = useApplication();
  const navigate = useNavigate({ from: '/apps/$applicationId/campaigns/$id' });
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
      <Tiles
        figures={shown.map(({ index, total }) => ({
          name: names[index]!,
          value: count(total ?? 0),
          behind: { label: `${names[index]}, ${unit} of the range`, open: () => open({ index }) },
        }))}
      />
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

/** A calendar day has no zone of its own. */
const day = (date: string): string => time(`${date}T12:00:00Z`, 'UTC', 'date');

/** Why the campaign may have few shows: how many devices could have shown it in the range, and what stops or limits it. */
export function Reach({ campaign }: { campaign: SeenCampaign }) {
  const { applicationId, timeZone } = useApplication();
  const range = useCampaignRange();
  const steps = reachSteps(campaign);
  const events = steps.flatMap(({ event }) => event ?? []);
  const input = seriesInput(applicationId, events, { ...range, interval: 'MONTH', measure: 'UNIQUE' });
  const [result, read] = useQuery({
    query: CampaignEventsDocument,
    variables: { input },
    pause: events.length === 0,
  });
  const [rivals] = useQuery({ query: CampaignRivalsDocument, variables: { applicationId } });
  const series = result.data?.eventSeries?.series;
  const totals = series && steps.map(({ event }) => (event ? (series[events.indexOf(event)]?.total ?? 0) : null));
  const reasons = reasonsOf({
    campaign,
    timeZone,
    now: Date.now(),
    rivals: rivalsOf(campaign, rivals.data?.campaigns ?? []),
    reach: totals ?? null,
  });
  return (
    <Panel title="Why few shows?">
      <Stack gap="sm">
        <Reasons reasons={reasons} />
        {steps.length > 0 && (
          <Loaded result={result} pick={(data) => data.eventSeries} retry={read}>
            {({ presentProperties }) => (
              <div>
                <Text size="sm" fw={500}>
                  Devices from {day(range.from)} to {day(range.to)}
                </Text>
                <Steps steps={steps} totals={totals ?? []} input={input} />
                {presentProperties && (
                  <Text size="xs" c="dimmed">
                    By the properties that devices and users have now.
                  </Text>
                )}
              </div>
            )}
          </Loaded>
        )}
      </Stack>
    </Panel>
  );
}

interface Other extends Rival {
  trigger?: { event: string; type: string } | null;
}

/** Those that a device tries first: a higher priority, or the same one and a lower id. */
function rivalsOf({ id, priority, trigger }: SeenCampaign, others: readonly Other[]): Rival[] {
  if (!trigger) return [];
  return others.filter(
    (other) =>
      other.id !== id &&
      other.trigger?.event === trigger.event &&
      other.trigger.type === trigger.type &&
      (other.priority > priority || (other.priority === priority && other.id < id)),
  );
}

function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  if (reasons.length === 0)
    return <Text size="sm">Nothing in the campaign stops it: it shows on each device that has the event.</Text>;
  return (
    <ul className={classes.reasons}>
      {reasons.map(({ kind, text, rivals = [] }) => (
        <li key={text} className={classes.reason}>
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {kind === 'stops' ? 'Stops it' : 'Limits it'}
          </Badge>
          <div>
            {text}
            <ul className={classes.lines}>
              {rivals.slice(0, 5).map((rival) => (
                <li key={rival.id}>
                  <CampaignLink id={rival.id} name={rival.name} inText /> (priority {count(rival.priority)})
                </li>
              ))}
              {rivals.length > 5 && <li>and {count(rivals.length - 5)} more</li>}
            </ul>
          </div>
        </li>
      ))}
    </ul>
  );
}

interface StepsProps {
  steps: readonly ReachStep[];
  totals: readonly (number | null)[];
  input: ReturnType<typeof seriesInput>;
}

function Steps({ steps, totals, input }: StepsProps) {
  const behind = useBehind();
  const events = steps.flatMap(({ event }) => event ?? []);
  return (
    <>
      {steps.map(({ label, event, why }, at) => {
        const total = totals[at] ?? null;
        const point = event && { eventSeries: { series: events.indexOf(event) } };
        return (
          <div key={label} className={classes.step}>
            <span className={classes.figure}>
              {total === null || !point ? (
                '—'
              ) : (
                <FigureButton
                  label={`${count(total)} devices ${label}`}
                  open={() => behind.open({ title: `Devices that ${label}`, of: { eventSeries: input }, point })}
                >
                  {count(total)}
                </FigureButton>
              )}
            </span>
            <Text size="sm" className={classes.label}>
              {label}
              {why !== undefined && (
                <Text span size="xs" c="dimmed" display="block">
                  {why}
                </Text>
              )}
            </Text>
          </div>
        );
      })}
      {behind.drawer}
    </>
  );
}
