// Why the campaign may have few shows: how many devices could have shown it in the range, and what stops or limits it.
import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { CampaignEventsDocument, CampaignRivalsDocument } from '../../../../generated/screens/campaign/graphql.ts';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { CampaignLink } from '../../parts/campaignState/CampaignLink.tsx';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Campaign.module.css';
import { reachSteps, seriesInput, type ReachStep } from './reach.ts';
import { reasonsOf, type Reason, type Rival } from './reasons.ts';
import { useCampaignRange } from './Series.tsx';
import type { SeenCampaign } from './words.ts';

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
                  Devices from {range.from} to {range.to}
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
