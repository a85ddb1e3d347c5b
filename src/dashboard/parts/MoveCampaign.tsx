// A campaign where others name it: its state, its link, and the moves from one state to another.
import { Alert, Badge, Button, List, Stack, Text } from '@mantine/core';
import { useMutation } from 'urql';
import { CampaignMoveDocument } from '../../../generated/screens/parts/graphql.ts';
import { apiErrorOf, type ApiError } from '../api/apiError.ts';
import { useApplication } from '../session/me.ts';
import { GivenText } from './GivenText.tsx';
import {
  isFinal,
  moveEffect,
  moveWord,
  stateWords,
  type CampaignState,
  type MovableCampaign,
} from './campaignStates.ts';
import { Confirm } from './dialogs.tsx';
import { TextLink } from './links.tsx';
import { ErrorState } from './states.tsx';

const colors: Record<CampaignState, string> = {
  DRAFT: 'gray.6',
  SCHEDULED: 'indigo',
  ACTIVE: 'green',
  PAUSED: 'yellow',
  FINISHED: 'gray.6',
  ARCHIVED: 'gray.6',
};

/** The state of a campaign as a word with a dot. */
export function StateBadge({ state }: { state: CampaignState }) {
  return (
    <Badge variant="dot" color={colors[state]} tt="none" fw={500}>
      {stateWords[state]}
    </Badge>
  );
}

interface CampaignLinkProps {
  id: string;
  name: string;
  /** Underlined, because other text stands beside it. */
  inText?: boolean;
}

/** The way to one campaign's screen, with its name as it was given. */
export function CampaignLink({ id, name, inText = false }: CampaignLinkProps) {
  const { applicationId } = useApplication();
  return (
    <TextLink
      to="/apps/$applicationId/campaigns/$id"
      params={{ applicationId, id }}
      underline={inText ? 'always' : 'hover'}
    >
      <GivenText text={name} cut={!inText} />
    </TextLink>
  );
}

interface MoveCampaignProps {
  campaign: MovableCampaign;
  to: CampaignState;
  close: () => void;
  /** Reads the campaign again. */
  reload: () => void;
}

/** Asks before a campaign goes to another state, and explains why it could not: somebody was faster, or something is missing. */
export function MoveCampaign({ campaign, to, close, reload }: MoveCampaignProps) {
  const { timeZone } = useApplication();
  const [{ fetching, error }, move] = useMutation(CampaignMoveDocument);
  const problem = apiErrorOf(error);
  const confirm = async (): Promise<void> => {
    const result = await move({ id: campaign.id, state: to, expectedVersion: campaign.version });
    if (!result.error) close();
  };
  const word = moveWord(campaign.state, to);
  return (
    <Confirm
      opened
      close={close}
      title={`${word}: ${campaign.name}`}
      label={word}
      danger={isFinal(to)}
      sending={fetching}
      confirm={() => void confirm()}
    >
      <Stack gap="sm">
        <Text size="sm">{moveEffect(campaign, to, timeZone)}</Text>
        {problem && (
          <MoveProblem
            campaign={campaign}
            problem={problem}
            load={() => {
              reload();
              close();
            }}
          />
        )}
      </Stack>
    </Confirm>
  );
}

interface MoveProblemProps {
  campaign: MovableCampaign;
  problem: ApiError;
  load: () => void;
}

function MoveProblem({ campaign, problem, load }: MoveProblemProps) {
  if (problem.code === 'BAD_USER_INPUT') return <Missing campaign={campaign} problem={problem} />;
  const text = staleText(campaign, problem);
  if (text === null) return <ErrorState error={problem} />;
  return (
    <Alert color="yellow" variant="light" title="The campaign has changed meanwhile" role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">{text}</Text>
        <Button size="compact-sm" variant="default" onClick={load}>
          Load the new version
        </Button>
      </Stack>
    </Alert>
  );
}

/** Null: the campaign on the page is the stored one. */
function staleText({ version }: MovableCampaign, { code, extensions }: ApiError): string | null {
  if (code === 'CONFLICT' && extensions['reason'] === 'version') {
    const current = String(extensions['currentVersion']);
    return `You see version ${version}, and somebody has made version ${current}. Nothing was done. Look at it, then decide again.`;
  }
  if (code !== 'ILLEGAL_TRANSITION') return null;
  const allowed = (extensions['allowed'] as CampaignState[] | undefined) ?? [];
  const now = allowed.map((state) => stateWords[state]).join(', ');
  return now === ''
    ? 'It is archived now, which is final.'
    : `Its state is another one now. From there it can become: ${now}.`;
}

function Missing({ campaign, problem }: { campaign: MovableCampaign; problem: ApiError }) {
  const { applicationId } = useApplication();
  return (
    <Alert color="red" variant="light" title="The campaign is not ready for this" role="alert">
      <List size="sm">
        {problem.fields.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            {path.replace(/^campaign\.?/, '') || 'The campaign'} {message}
          </List.Item>
        ))}
      </List>
      <TextLink to="/apps/$applicationId/campaigns/$id/edit" params={{ applicationId, id: campaign.id }}>
        Edit the campaign
      </TextLink>
    </Alert>
  );
}
