// mutation campaignChangeState: moves a campaign by the moves of campaignRecord.ts, under the lock of its row.
import type { MutationCampaignChangeStateArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type Transaction } from '../platform/database/transaction.ts';
import { AppError, type FieldError } from '../platform/errors.ts';
import { withViewer, type Caller } from '../workspace/workspace.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import type { SeenCampaign } from './campaignFields.ts';
import { type CampaignContent, type CampaignState, judgeMove, stateAt } from './campaignRecord.ts';
import { holdCampaign, writeHeldCampaign, type HeldCampaign, type WrittenCampaign } from './heldCampaign.ts';

interface Needs {
  adminPool: AdminPool;
  campaigns: Pick<CampaignDirectory, 'forget'>;
  caller: Caller;
  /** Told after COMMIT. */
  wroteDeliveries(count: number): void;
  now(): Date;
}

/**
 * Throws `not_found`, `conflict`, `illegal_transition`, `validation_failed` (the campaign lacks fields that the state
 * needs).
 */
export async function campaignChangeState(args: MutationCampaignChangeStateArgs, needs: Needs): Promise<SeenCampaign> {
  const { campaign, deliveries } = await inTransaction(needs.adminPool, (transaction) =>
    change(transaction, args, needs),
  );
  needs.wroteDeliveries(deliveries);
  // After COMMIT: this process's next response shows the change before the notification arrives.
  needs.campaigns.forget(campaign.applicationId);
  return withViewer(needs.caller, campaign);
}

async function change(
  transaction: Transaction,
  { id, state, expectedVersion }: MutationCampaignChangeStateArgs,
  { caller, now }: Needs,
): Promise<WrittenCampaign> {
  const held = await holdCampaign(transaction, { id, caller, expectedVersion }, now);
  const content = moved(held, state);
  if (!content) return { campaign: held.campaign, deliveries: 0 };
  const written = await writeHeldCampaign(transaction, held, { content, by: caller.email, path: 'campaign' });
  const details = { version: written.campaign.version, from: stateAt(held.campaign, held.now), to: state };
  await audit(transaction, caller, {
    action: 'campaignChangeState',
    objectType: 'campaign',
    objectId: id,
    details,
  });
  return written;
}

/** Null when the campaign is in that state already. */
function moved({ campaign, now }: HeldCampaign, state: CampaignState): CampaignContent | null {
  const move = judgeMove(campaign, state, now);
  if (move.outcome === 'illegal') throw new AppError('illegal_transition', { allowed: move.allowed });
  if (move.outcome === 'incomplete') throw new AppError('validation_failed', { fields: move.fields.map(stored) });
  return move.outcome === 'moved' ? { ...campaign, state } : null;
}

/** An edit is refused at its `input`; here the stored campaign is at fault. */
function stored({ path, message }: FieldError): FieldError {
  return { path: `campaign.${path}`, message };
}
