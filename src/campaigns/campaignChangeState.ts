// mutation campaignChangeState: moves a campaign by the moves of campaignState.ts, under the lock of its row.
import type { Pool } from 'pg';
import type { MutationCampaignChangeStateArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { AppError } from '../platform/errors.ts';
import { seenBy, type Caller } from '../workspace/caller.ts';
import type { CampaignContent, CampaignState, StoredCampaign } from './campaign.ts';
import type { SeenCampaign } from './campaignFields.ts';
import { judgeMove, stateAt } from './campaignState.ts';
import { changeCampaign } from './changeCampaign.ts';

interface Needs {
  caller: Caller;
  pool: Pool;
  now(): Date;
}

/** Throws `not_found`, `conflict`, `illegal_transition`, `validation_failed` (it lacks what the state needs). */
export async function campaignChangeState(
  { id, state, expectedVersion }: MutationCampaignChangeStateArgs,
  { caller, pool, now }: Needs,
): Promise<SeenCampaign> {
  const at = now();
  const change = await changeCampaign(pool, {
    id,
    organizationId: caller.organizationId,
    expectedVersion: expectedVersion ?? null,
    now: at,
    decide: (campaign) => moved(campaign, state, at),
    record: (client, before, { version }) => {
      const details = { version, from: stateAt(before, at), to: state };
      return audit(client, caller, { action: 'campaignChangeState', objectType: 'campaign', objectId: id, details });
    },
  });
  if (change.outcome === 'not_found') throw new AppError('not_found', undefined);
  if (change.outcome === 'conflict') throw new AppError('conflict', { currentVersion: change.currentVersion });
  return seenBy(caller, change.campaign);
}

function moved(campaign: StoredCampaign, state: CampaignState, now: Date): CampaignContent | null {
  const move = judgeMove(campaign, state, now);
  if (move.outcome === 'illegal') throw new AppError('illegal_transition', { allowed: move.allowed });
  if (move.outcome === 'incomplete') throw new AppError('validation_failed', { fields: move.fields });
  return move.outcome === 'moved' ? { ...campaign, state } : null;
}
