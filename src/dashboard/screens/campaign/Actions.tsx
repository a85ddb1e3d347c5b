// What can be done with the campaign: edit, copy, and the moves that its state allows.
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Allowed } from '../../parts/access.tsx';
import { MoveCampaign } from '../../parts/campaignState/MoveCampaign.tsx';
import { isOver, moveWord, type CampaignState } from '../../parts/campaignState/states.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { SeenCampaign } from './words.ts';

export function Actions({ campaign, reload }: { campaign: SeenCampaign; reload: () => void }) {
  const { applicationId } = useApplication();
  const { id, state, allowedTransitions } = campaign;
  const [to, setTo] = useState<CampaignState | null>(null);
  const editor = `/apps/${applicationId}/campaign-editor`;
  return (
    <Allowed least="editor" what="change campaigns">
      {isOver(state) ? (
        <Text size="sm" c="dimmed">
          Over: it cannot be edited.
        </Text>
      ) : (
        <Button size="xs" variant="default" component={Link} to={editor} search={{ id } as never}>
          Edit
        </Button>
      )}
      <Button size="xs" variant="default" component={Link} to={editor} search={{ copy: id } as never}>
        Copy
      </Button>
      {allowedTransitions.map((next) => (
        <Button key={next} size="xs" variant={next === 'ACTIVE' ? 'filled' : 'default'} onClick={() => setTo(next)}>
          {moveWord(state, next)}
        </Button>
      ))}
      {to !== null && <MoveCampaign campaign={campaign} to={to} close={() => setTo(null)} reload={reload} />}
    </Allowed>
  );
}
