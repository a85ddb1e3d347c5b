// One change of a campaign under its lock, which campaignEdit and campaignChangeState share: found, version checked, written, kept.
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';
import { isPublished } from './campaignState.ts';
import { insertCampaignVersion, lockCampaign, measurePublished, updateCampaign } from './campaignsStore.ts';
import { deliveredCampaign } from './deliveredCampaign.ts';

export interface CampaignChangeNeeds {
  adminPool: Pool;
  campaigns: Pick<CampaignDirectory, 'forget'>;
  now(): Date;
}

export interface CampaignChange {
  id: string;
  organizationId: string;
  /** The version that the user has seen; null and absent take whatever is stored. */
  expectedVersion?: number | null | undefined;
  /** The argument at which it is refused where all that devices get would be too much. */
  path: string;
  /** The content after the change, or null when there is nothing to change. What it throws undoes everything. */
  decide(campaign: StoredCampaign, now: Date): CampaignContent | null;
  /** Writes the change's line into the audit log, in the same transaction; `after.updatedAt` is when it was decided. */
  record(transaction: Transaction, before: StoredCampaign, after: StoredCampaign): Promise<void>;
}

/**
 * The campaign as it is then. Throws `not_found`, `conflict` and what `decide` throws; the version is checked before
 * anything else is asked about the campaign.
 */
export async function changeCampaign(needs: CampaignChangeNeeds, change: CampaignChange): Promise<StoredCampaign> {
  const campaign = await inTransaction(needs.adminPool, async (transaction) => {
    const stored = await lockCampaign(transaction, change);
    if (!stored) throw new AppError('not_found', undefined);
    const { id, version } = stored;
    if (change.expectedVersion != null && change.expectedVersion !== version) {
      throw new AppError('conflict', { currentVersion: version });
    }
    // After the lock: while it was waited for, the campaign may have ended by the clock.
    const now = needs.now();
    const content = change.decide(stored, now);
    if (!content) return stored;
    // The row is locked, so its version is the one just read.
    const changed = (await updateCampaign(transaction, { id, version, content, now }))!;
    if (isPublished(changed.state)) await assertSize(transaction, changed, change.path);
    await keepPublished(transaction, changed);
    await change.record(transaction, stored, changed);
    return changed;
  });
  needs.campaigns.forget(campaign.applicationId);
  return campaign;
}

/** Characters of JSON, as PostgreSQL writes it: every device of the application fetches nearly all of them. */
const longestConfiguration = 4_194_304;

async function assertSize(transaction: Transaction, { applicationId, updatedAt }: StoredCampaign, path: string) {
  if ((await measurePublished(transaction, { applicationId, endedBefore: updatedAt })) <= longestConfiguration) return;
  const message = `would make the application's campaigns longer than ${longestConfiguration} characters of JSON together`;
  throw new AppError('validation_failed', { fields: [{ path, message }] });
}

/** Every version that devices get is kept, also one that is paused before any device has fetched it. */
async function keepPublished(transaction: Transaction, campaign: StoredCampaign): Promise<void> {
  const delivered = isPublished(campaign.state) ? deliveredCampaign(campaign) : null;
  if (!delivered) return;
  const { id: campaignId, version, updatedAt: publishedAt } = campaign;
  await insertCampaignVersion(transaction, { campaignId, version, delivered, publishedAt });
}
