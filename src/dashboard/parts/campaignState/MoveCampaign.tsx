// Asks before a campaign goes to another state, and explains why it could not: somebody was faster, or something is missing.
import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { useMutation } from 'urql';
import { CampaignMoveDocument } from '../../../../generated/screens/campaignState/graphql.ts';
import { type ApiError, apiErrorOf } from '../../api/apiError.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { Confirm } from '../Confirm.tsx';
import { ErrorState } from '../states.tsx';
import { TextLink } from '../TextLink.tsx';
import { type CampaignState, isFinal, type MovableCampaign, moveEffect, moveWord, stateWords } from './states.ts';

interface MoveCampaignProps {
  campaign: MovableCampaign;
  to: CampaignState;
  close: () => void;
  /** Reads the campaign again. */
  reload: () => void;
}

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
