// One campaign: its results, why it may have few shows, its rule in words, what devices get of it, and its history.
import { Anchor, Stack, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { CampaignDocument } from '../../../../generated/screens/campaign/graphql.ts';
import { StateBadge } from '../../parts/campaignState/StateBadge.tsx';
import { time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { Actions } from './Actions.tsx';
import classes from './Campaign.module.css';
import { Delivered } from './Delivered.tsx';
import { History } from './History.tsx';
import { Reach } from './Reach.tsx';
import { Results } from './Results.tsx';
import { Rule } from './Rule.tsx';
import { Series } from './Series.tsx';
import type { SeenCampaign } from './words.ts';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function Campaign() {
  const { applicationId } = useApplication();
  const { id } = useSearch({ from: '/inside/apps/$applicationId/campaign' });
  const known = uuid.test(id);
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
        <Anchor component={Link} to={`/apps/${applicationId}/campaigns`} size="sm">
          All campaigns
        </Anchor>
      </Empty>
    </>
  );
}

function Shown({ campaign, reload }: { campaign: SeenCampaign; reload: () => void }) {
  const { applicationId, timeZone } = useApplication();
  const { name, description, state, version, createdBy, createdAt, updatedBy, updatedAt } = campaign;
  return (
    <>
      <Anchor component={Link} to={`/apps/${applicationId}/campaigns`} size="sm">
        Campaigns
      </Anchor>
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
      <div className={classes.columns}>
        <Stack className={classes.column}>
          <Results campaign={campaign} />
          <Series campaign={campaign} />
          <History key={`${campaign.id} ${version}`} id={campaign.id} timeZone={timeZone} />
        </Stack>
        <Stack className={classes.column}>
          <Reach campaign={campaign} />
          <Rule campaign={campaign} />
          <Delivered campaign={campaign} />
        </Stack>
      </div>
    </>
  );
}
