// What can be done with the campaign: edit, copy, and the moves that its state allows.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Allowed } from '../../parts/access.tsx';
import { MoveCampaign } from '../../parts/campaignState/MoveCampaign.tsx';
import { LinkButton } from '../../parts/LinkButton.tsx';
import { isOver, moveWord, type CampaignState } from '../../parts/campaignState/states.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { SeenCampaign } from './words.ts';

export function Actions({ campaign, reload }: { campaign: SeenCampaign; reload: () => void }) {
  const { applicationId } = useApplication();
  const { id, state, allowedTransitions } = campaign;
  const [to, setTo] = useState<CampaignState | null>(null);
  const editor = { to: '/apps/$applicationId/campaign-editor', params: { applicationId } } as const;
  return (
    <Allowed least="editor" what="change campaigns">
      {isOver(state) ? (
        <Text size="sm" c="dimmed">
          Over: it cannot be edited.
        </Text>
      ) : (
        <LinkButton size="xs" variant="default" {...editor} search={{ id }}>
          Edit
        </LinkButton>
      )}
      <LinkButton size="xs" variant="default" {...editor} search={{ copy: id }}>
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
