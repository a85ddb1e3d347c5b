// The campaign's rule in words: when, for whom, how often, how long, and what the app does.
import { Text } from '@mantine/core';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Campaign.module.css';
import { capWords, conditionWords, groupWords, lengthWords, targetingLines, type SeenCampaign } from './words.ts';

export function Rule({ campaign }: { campaign: SeenCampaign }) {
  const { timeZone } = useApplication();
  const caps = capWords(campaign.frequency);
  return (
    <Panel title="What it does">
      <dl className={classes.facts}>
        <dt>When</dt>
        <dd>
          <Trigger trigger={campaign.trigger} />
        </dd>
        <dt>For whom</dt>
        <dd>
          <Targeting targeting={campaign.targeting} />
        </dd>
        <dt>How often</dt>
        <dd>{caps.length === 0 ? 'each time the event happens, without a cap' : <Lines lines={caps} />}</dd>
        <dt>Runs</dt>
        <dd>{runsWords(campaign.schedule, timeZone)}</dd>
        <dt>Action</dt>
        <dd>
          <Action action={campaign.action} />
        </dd>
        <dt>Priority</dt>
        <dd>
          {count(campaign.priority)}. Of several campaigns for one event, the one with the highest priority runs alone.
        </dd>
      </dl>
    </Panel>
  );
}

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <ul className={classes.lines}>
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

function Trigger({ trigger }: Pick<SeenCampaign, 'trigger'>) {
  if (!trigger) return 'no trigger yet';
  const conditions = trigger.filters.map((filter) => conditionWords(filter.param, filter));
  return (
    <>
      the {trigger.type === 'SYSTEM' ? 'SDK' : 'app'} records <strong>{trigger.event}</strong>
      {conditions.length > 0 && <Lines lines={conditions.map((words) => `and ${words}`)} />}
    </>
  );
}

function Targeting({ targeting }: Pick<SeenCampaign, 'targeting'>) {
  const lines = targetingLines(targeting);
  const groups = groupWords(targeting);
  if (lines.length === 0 && groups.length === 0) return 'all devices';
  return (
    <>
      <Lines lines={lines.map(({ label, text }) => `${label}: ${text}`)} />
      {groups.length > 0 && (
        <>
          <span>{groups.length > 1 ? 'User properties, one of:' : 'User properties:'}</span>
          <Lines lines={groups} />
        </>
      )}
      {lines.some(({ text }) => text.includes('(')) && lines.some(({ label }) => label.includes('ersion')) && (
        <Text size="xs" c="dimmed">
          Versions in brackets: as the recommended encoding reads.
        </Text>
      )}
    </>
  );
}

function runsWords(schedule: SeenCampaign['schedule'], timeZone: string): string {
  const start = schedule?.startAt;
  const end = schedule?.endAt;
  if (!start && !end) return 'from its start by hand until somebody stops it';
  const from = start ? `from ${time(start, timeZone)}` : 'from its start by hand';
  return `${from} ${end ? `until ${time(end, timeZone)}` : 'until somebody stops it'} (${timeZone})`;
}

function Action({ action }: Pick<SeenCampaign, 'action'>) {
  if (!action) return 'no action yet';
  const { type, blocking, deadlineSeconds } = action;
  const deadline = deadlineSeconds == null ? 'the SDK’s default time' : lengthWords(deadlineSeconds);
  return (
    <>
      <strong>{type}</strong>
      {blocking ? `; the app waits for the outcome, at most ${deadline}` : '; the app does not wait for an outcome'}
      {action.payload != null && '. The payload is below.'}
    </>
  );
}
