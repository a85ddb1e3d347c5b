// A campaign under the lock of its row: campaignEdit and campaignChangeState hold it, decide on the change, and write it.
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';
import { isPublished } from './campaignState.ts';
import { insertCampaignVersion, lockCampaign, measurePublished, updateCampaign } from './campaignsStore.ts';
import { deliveredCampaign } from './deliveredCampaign.ts';
import { tellMoves } from './tellMoves.ts';

/** Locked until the transaction ends. */
export interface HeldCampaign {
  campaign: StoredCampaign;
  /** Read after the lock: while the transaction waited for it, the campaign may have ended by the clock. */
  now: Date;
}

export interface WantedCampaign {
  id: string;
  caller: Caller;
  /** The version that the user has seen. Null and absent accept every stored version. */
  expectedVersion: number | null | undefined;
}

/** Throws `not_found`, and `conflict` for another version. */
export async function holdCampaign(
  transaction: Transaction,
  wanted: WantedCampaign,
  now: () => Date,
): Promise<HeldCampaign> {
  const { id, caller } = wanted;
  const campaign = await lockCampaign(transaction, { id, organizationId: caller.organizationId });
  if (!campaign || !reaches(caller, campaign.applicationId)) throw new AppError('not_found', undefined);
  const { version } = campaign;
  if (wanted.expectedVersion != null && wanted.expectedVersion !== version) {
    throw new AppError('conflict', { reason: 'version', currentVersion: version });
  }
  return { campaign, now: now() };
}

export interface WrittenCampaign {
  campaign: StoredCampaign;
  /** What the change has written for webhooks. */
  deliveries: number;
}

/**
 * Writes the content as the next version, keeps the content that devices get, and tells the webhooks of the moves. Throws `validation_failed` at `path`
 * when the application's campaigns become too long together.
 */
export async function writeHeldCampaign(
  transaction: Transaction,
  { campaign: before, now }: HeldCampaign,
  { content, by, path }: { content: CampaignContent; by: string; path: string },
): Promise<WrittenCampaign> {
  // The row is locked, so its version is the one just read.
  const { id, version } = before;
  const written = (await updateCampaign(transaction, { id, version, content, now, by }))!;
  if (isPublished(written.state)) await assertSize(transaction, written, path);
  await keepPublished(transaction, written);
  const deliveries = await tellMoves(transaction, { before, after: written, now });
  return { campaign: written, deliveries };
}

/** Characters of JSON, as PostgreSQL writes it: every device of the application fetches nearly all of them. */
const longestConfiguration = 4_194_304;

async function assertSize(transaction: Transaction, { applicationId, updatedAt }: StoredCampaign, path: string) {
  if ((await measurePublished(transaction, { applicationId, endedBefore: updatedAt })) <= longestConfiguration) return;
  const message = `would make the application's campaigns longer than ${longestConfiguration} characters of JSON together`;
  throw new AppError('validation_failed', { fields: [{ path, message }] });
}

/** The service keeps every version that devices get, even when the campaign is paused before any device has fetched it. */
async function keepPublished(transaction: Transaction, campaign: StoredCampaign): Promise<void> {
  const delivered = isPublished(campaign.state) ? deliveredCampaign(campaign) : null;
  if (!delivered) return;
  const { id: campaignId, version, updatedAt: publishedAt } = campaign;
  await insertCampaignVersion(transaction, { campaignId, version, delivered, publishedAt });
}
