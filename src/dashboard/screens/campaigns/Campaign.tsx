// One campaign: its results, why it may have few shows, its rule in words, what devices get of it, and its history.
import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { CampaignDocument } from '../../../../generated/screens/campaigns/graphql.ts';
import { type CampaignState, isOver, moveWord } from '../../parts/campaignStates.ts';
import { count, time } from '../../parts/figures.ts';
import { Columns, PageHead, Panel } from '../../parts/layout.tsx';
import { LinkButton, TextLink } from '../../parts/links.tsx';
import { MoveCampaign, StateBadge } from '../../parts/MoveCampaign.tsx';
import { Allowed } from '../../parts/roles.tsx';
import { isUuid } from '../../parts/searchParameters.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../session/me.ts';
import classes from './Campaign.module.css';
import { deliveredCampaign } from './delivered.ts';
import { Reach, Results, Series } from './Figures.tsx';
import { History } from './History.tsx';
import { capWords, conditionWords, groupWords, lengthWords, type SeenCampaign, targetingLines } from './words.ts';

export function Campaign() {
  const { applicationId, id } = useParams({ from: '/inside/apps/$applicationId/campaigns/$id' });
  const known = isUuid(id);
  const [result, read] = useQuery({ query: CampaignDocument, variables: { id }, pause: !known });
  const reload = () => read({ requestPolicy: 'network-only' });
  const found = result.data?.campaign;
  if (!known || found === null || (found && found.application.id !== applicationId)) return <NoCampaign />;
  return (
    <Loaded result={result} pick={(data) => data.campaign} retry={reload} lines={12}>
      {(campaign) => <Shown campaign={campaign} reload={reload} />}
    </Loaded>
  );
}

function NoCampaign() {
  const { applicationId } = useApplication();
  return (
    <>
      <PageHead title="Campaign" />
      <Empty title="This application has no such campaign">
        <TextLink to="/apps/$applicationId/campaigns" params={{ applicationId }}>
          All campaigns
        </TextLink>
      </Empty>
    </>
  );
}

function Shown({ campaign, reload }: { campaign: SeenCampaign; reload: () => void }) {
  const { applicationId, timeZone } = useApplication();
  const { name, description, state, version, createdBy, createdAt, updatedBy, updatedAt } = campaign;
  return (
    <>
      <TextLink to="/apps/$applicationId/campaigns" params={{ applicationId }}>
        Campaigns
      </TextLink>
      <PageHead
        title={name}
        about={
          <>
            Version {version}, changed {time(updatedAt, timeZone)}
            {updatedBy ? ` by ${updatedBy}` : ''}. Created {time(createdAt, timeZone)}
            {createdBy ? ` by ${createdBy}` : ''}. Times in {timeZone}.
          </>
        }
      >
        <StateBadge state={state} />
        <Actions campaign={campaign} reload={reload} />
      </PageHead>
      {description !== null && description !== undefined && description.trim() !== '' && (
        <Text size="sm" mb="md" className={classes.notes}>
          {description}
        </Text>
      )}
      <Columns widths={[3, 2]}>
        <Stack>
          <Results campaign={campaign} />
          <Series campaign={campaign} />
          <History key={`${campaign.id} ${version}`} id={campaign.id} timeZone={timeZone} />
        </Stack>
        <Stack>
          <Reach campaign={campaign} />
          <Rule campaign={campaign} />
          <AsDelivered campaign={campaign} />
        </Stack>
      </Columns>
    </>
  );
}

/** What can be done with the campaign: edit, copy, and the moves that its state allows. */
function Actions({ campaign, reload }: { campaign: SeenCampaign; reload: () => void }) {
  const { applicationId } = useApplication();
  const { id, state, allowedTransitions } = campaign;
  const [to, setTo] = useState<CampaignState | null>(null);
  return (
    <Allowed least="editor" what="change campaigns">
      {isOver(state) ? (
        <Text size="sm" c="dimmed">
          Over: it cannot be edited.
        </Text>
      ) : (
        <LinkButton
          size="xs"
          variant="default"
          to="/apps/$applicationId/campaigns/$id/edit"
          params={{ applicationId, id }}
        >
          Edit
        </LinkButton>
      )}
      <LinkButton
        size="xs"
        variant="default"
        to="/apps/$applicationId/campaigns/new"
        params={{ applicationId }}
        search={{ copy: id }}
      >
        Copy
      </LinkButton>
      {allowedTransitions.map((next) => (
        <Button key={next} size="xs" variant={next === 'ACTIVE' ? 'filled' : 'default'} onClick={() => setTo(next)}>
          {moveWord(state, next)}
        </Button>
      ))}
      {to !== null && <MoveCampaign campaign={campaign} to={to} close={() => setTo(null)} reload={reload} />}
    </Allowed>
  );
}

/** The campaign's rule in words: when, for whom, how often, how long, and what the app does. */
function Rule({ campaign }: { campaign: SeenCampaign }) {
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

function AsDelivered({ campaign }: { campaign: SeenCampaign }) {
  const delivered = deliveredCampaign({ ...campaign, startedEarly: isStartedEarly(campaign) });
  if (delivered === null)
    return (
      <Panel title="As devices get it">
        <Text size="sm" c="dimmed">
          Devices get the campaign once it has a trigger and an action.
        </Text>
      </Panel>
    );
  const text = JSON.stringify(delivered, null, 2);
  const now = campaign.state === 'ACTIVE' || campaign.state === 'SCHEDULED';
  return (
    <Panel
      title="As devices get it"
      actions={
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy} aria-label="Copy the JSON">
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        {now
          ? 'One entry of GET /api/v1/campaigns, for devices that platform, versions and country reach.'
          : 'Devices do not get it in its state. They would get this.'}
      </Text>
      <Code block className={classes.json} tabIndex={0} role="region" aria-label="JSON as devices get it">
        {text}
      </Code>
    </Panel>
  );
}

function isStartedEarly({ schedule, state, updatedAt, history }: SeenCampaign): boolean {
  const start = schedule?.startAt;
  const lastMove = history.find(({ toState }) => toState !== null)?.toState;
  return !!start && state === 'ACTIVE' && lastMove === 'ACTIVE' && Date.parse(updatedAt) < Date.parse(start);
}
