// Somebody else has saved the campaign meanwhile: who and what, and how to go on without losing what is typed.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { CampaignToEditDocument } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { time } from '../../parts/figures.ts';
import { Loaded } from '../../parts/states.tsx';
import { changedParts, draftOf, partNames, type Draft, type EditedCampaign, type Part } from './draft.ts';

export interface Base {
  campaign: EditedCampaign;
  draft: Draft;
}

interface ConflictProps {
  /** What the form began with. */
  base: Base;
  values: Draft;
  timeZone: string;
  /** The form goes on from `newest` with these values. */
  goOn: (newest: Base, values: Draft) => void;
}

export function Conflict(props: ConflictProps) {
  const [result, read] = useQuery({
    query: CampaignToEditDocument,
    variables: { id: props.base.campaign.id },
    requestPolicy: 'network-only',
  });
  return (
    <Loaded result={result} pick={({ campaign }) => campaign} retry={read} lines={2}>
      {(campaign) =>
        // Until the newest version is here, there is nothing to compare with.
        campaign.version === props.base.campaign.version ? null : <Choice {...props} campaign={campaign} />
      }
    </Loaded>
  );
}

const namesOf = (list: Part[]): string => list.map((part) => partNames[part]).join(', ');

function Choice({ base, values, timeZone, goOn, campaign }: ConflictProps & { campaign: EditedCampaign }) {
  const newest = { campaign, draft: draftOf(campaign, timeZone) };
  const [mine, theirs] = [changedParts(base.draft, values), changedParts(base.draft, newest.draft)];
  const both = mine.filter((part) => theirs.includes(part));
  const merged = { ...newest.draft, ...Object.fromEntries(mine.map((part) => [part, values[part]])) };
  const who = campaign.updatedBy ?? 'Somebody';
  const stateMoved = campaign.state !== base.campaign.state;
  return (
    <Alert color="yellow" variant="light" role="alert" title="Somebody saved this campaign while you were editing">
      <Stack gap="xs" align="start">
        <Text size="sm">
          {who} made version {campaign.version} on {time(campaign.updatedAt, timeZone)} ({timeZone}).{' '}
          {theirs.length > 0 ? `Changed since you began: ${namesOf(theirs)}.` : 'No value has changed since you began.'}
          {stateMoved && ` The state is ${campaign.state} now.`}
        </Text>
        <Text size="sm">
          {both.length > 0
            ? `You changed these too, and your values would replace theirs: ${namesOf(both)}.`
            : `Nothing of yours is saved yet, and nothing is lost. You changed: ${namesOf(mine) || 'nothing'}.`}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => goOn(newest, merged)}>
            Load version {campaign.version} and keep my changes
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => goOn(newest, newest.draft)}>
            Load version {campaign.version} and drop my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
