// The states of a campaign in words, and what each move to one does: schema.graphql, "States and moves".
import type { CampaignState } from '../../../generated/screens/enums.ts';
import { time } from './figures.ts';

export type { CampaignState };

/** In the order in which a campaign goes through them. */
export const campaignStates = [
  'DRAFT',
  'SCHEDULED',
  'ACTIVE',
  'PAUSED',
  'FINISHED',
  'ARCHIVED',
] as const satisfies CampaignState[];

export const stateWords: Record<CampaignState, string> = {
  DRAFT: 'Draft',
  SCHEDULED: 'Scheduled',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  FINISHED: 'Finished',
  ARCHIVED: 'Archived',
};

/** The part of a campaign that a move needs. */
export interface MovableCampaign {
  id: string;
  name: string;
  state: CampaignState;
  version: number;
  schedule?: { startAt?: string | null; endAt?: string | null } | null;
  allowedTransitions: readonly CampaignState[];
}

/** Nobody can take these moves back. */
export const isFinal = (to: CampaignState): boolean => to === 'FINISHED' || to === 'ARCHIVED';

export const isOver = (state: CampaignState): boolean => isFinal(state);

export function moveWord(from: CampaignState, to: CampaignState): string {
  if (to === 'ACTIVE') return from === 'PAUSED' ? 'Resume' : 'Start now';
  const words = {
    DRAFT: 'Back to draft',
    SCHEDULED: 'Schedule',
    PAUSED: 'Pause',
    FINISHED: 'Finish',
    ARCHIVED: 'Archive',
  };
  return words[to];
}

/** What the move does, in one or two sentences. */
export function moveEffect({ schedule }: MovableCampaign, to: CampaignState, timeZone: string): string {
  const start = schedule?.startAt ?? null;
  switch (to) {
    case 'DRAFT':
      return 'Devices drop the campaign at their next fetch. You can schedule or start it again later.';
    case 'SCHEDULED':
      if (start === null) return 'The campaign needs a start in its schedule first.';
      if (Date.parse(start) <= Date.now())
        return 'Its start has passed, so it becomes active at once. Devices run it from their next fetch on.';
      return `Devices get the campaign at their next fetch, and run it from ${time(start, timeZone)} (${timeZone}) on.`;
    case 'ACTIVE':
      return 'Devices run the campaign from their next fetch on, whatever start its schedule has.';
    case 'PAUSED':
      return 'Devices drop the campaign at their next fetch. It stays paused, also past its end, until somebody moves it.';
    case 'FINISHED':
      return 'The campaign is over for good: nobody can edit it or start it again. Late uploads still count.';
    case 'ARCHIVED':
      return 'The campaign is put away for good. It stays readable, and nobody can edit it or start it again.';
  }
}
