// One change of a campaign under its lock, which campaignEdit and campaignChangeState share: found, version checked, written.
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../platform/transaction.ts';
import type { CampaignContent, StoredCampaign } from './campaign.ts';
import { lockCampaign, updateCampaign } from './campaignsStore.ts';

export interface CampaignChange {
  id: string;
  organizationId: string;
  /** The version that the user has seen; null takes whatever is stored. */
  expectedVersion: number | null;
  now: Date;
  /** The content after the change, or null when there is nothing to change. What it throws undoes everything. */
  decide(campaign: StoredCampaign): CampaignContent | null;
  /** Writes the change's line into the audit log, in the same transaction. */
  record(client: ClientBase, before: StoredCampaign, after: StoredCampaign): Promise<void>;
}

export type ChangeOutcome =
  | { outcome: 'changed' | 'unchanged'; campaign: StoredCampaign }
  | { outcome: 'not_found' }
  | { outcome: 'conflict'; currentVersion: number };

/** The version is checked before anything else is asked about the campaign. */
export function changeCampaign(pool: Pool, change: CampaignChange): Promise<ChangeOutcome> {
  return inTransaction(pool, async (client): Promise<ChangeOutcome> => {
    const campaign = await lockCampaign(client, change);
    if (!campaign) return { outcome: 'not_found' };
    const { id, version } = campaign;
    if (change.expectedVersion !== null && change.expectedVersion !== version) {
      return { outcome: 'conflict', currentVersion: version };
    }
    const content = change.decide(campaign);
    if (!content) return { outcome: 'unchanged', campaign };
    const changed = await updateCampaign(client, { id, version, content, now: change.now });
    // The row is locked, so its version is the one just read.
    await change.record(client, campaign, changed!);
    return { outcome: 'changed', campaign: changed! };
  });
}
