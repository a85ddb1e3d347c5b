// The state of a campaign as a word with a dot.
import { Badge } from '@mantine/core';
import { stateWords, type CampaignState } from './states.ts';

const colors: Record<CampaignState, string> = {
  DRAFT: 'gray',
  SCHEDULED: 'indigo',
  ACTIVE: 'green',
  PAUSED: 'yellow',
  FINISHED: 'gray',
  ARCHIVED: 'gray',
};

export function StateBadge({ state }: { state: CampaignState }) {
  return (
    <Badge variant="dot" color={colors[state]} tt="none" fw={500}>
      {stateWords[state]}
    </Badge>
  );
}
