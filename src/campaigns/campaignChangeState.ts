// mutation campaignChangeState: moves a campaign by the moves of campaignState.ts, under the lock of its row.
import type { MutationCampaignChangeStateArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { AppError } from '../platform/errors.ts';
import { seenBy, type Caller } from '../workspace/caller.ts';
import type { SeenCampaign } from './campaignFields.ts';
import type { CampaignContent, CampaignState, StoredCampaign } from './campaignRecord.ts';
import { judgeMove, stateAt } from './campaignState.ts';
import { changeCampaign, type CampaignChangeNeeds } from './changeCampaign.ts';

/** Throws `not_found`, `conflict`, `illegal_transition`, `validation_failed` (it lacks what the state needs). */
export async function campaignChangeState(
  { id, state, expectedVersion }: MutationCampaignChangeStateArgs,
  { caller, ...needs }: CampaignChangeNeeds & { caller: Caller },
): Promise<SeenCampaign> {
  const campaign = await changeCampaign(needs, {
    id,
    organizationId: caller.organizationId,
    expectedVersion,
    path: 'state',
    decide: (stored, now) => moved(stored, state, now),
    record: (transaction, before, { version, updatedAt }) => {
      const details = { version, from: stateAt(before, updatedAt), to: state };
      return audit(transaction, caller, {
        action: 'campaignChangeState',
        objectType: 'campaign',
        objectId: id,
        details,
      });
    },
  });
  return seenBy(caller, campaign);
}

function moved(campaign: StoredCampaign, state: CampaignState, now: Date): CampaignContent | null {
  const move = judgeMove(campaign, state, now);
  if (move.outcome === 'illegal') throw new AppError('illegal_transition', { allowed: move.allowed });
  if (move.outcome === 'incomplete') throw new AppError('validation_failed', { fields: move.fields });
  return move.outcome === 'moved' ? { ...campaign, state } : null;
}
