// The job that follows a deletion: removes all rows of an application in small batches, and looks again an hour later.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { removeIssues } from '../analytics/issueCounts.ts';
import { removeAttribution } from '../attribution/removeOldAttribution.ts';
import { removeCampaigns } from '../campaigns/heldCampaign.ts';
import { removeShows } from '../campaigns/closeDaysOfShows.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import { removePurchases, removeStoreAccess } from '../purchases/removalStore.ts';
import { removeQuotaUses } from '../quotas/quotasStore.ts';
import { removeDevices, removeFirsts } from '../sessions/upkeep/removalStore.ts';
import { removeWebhooks } from '../webhooks/webhooks.ts';
import {
  addRemovalJobsAt,
  eraseSecrets,
  findDeletion,
  lastLookMillis,
  markApplicationRemoved,
} from '../workspace/removal.ts';

export interface RemovalDeps {
  pool: Pool;
  log: Log;
  now(): Date;
}

/** Removes one batch. True where there may be more rows. */
type RemoveBatch = (pool: Pool, applicationId: string) => Promise<boolean>;

/** After this time a new job continues the work, so that other jobs get a turn. A killed process costs one attempt. */
const turnMillis = 60_000;

/**
 * Idempotent: a row that another run has removed is skipped. This job does not remove nonces: housekeeping deletes them
 * after 15 minutes, long before the last look.
 */
export async function removeApplication(
  { applicationId }: JobPayloads['removeApplication'],
  { pool, log, now }: RemovalDeps,
  signal: AbortSignal,
): Promise<void> {
  const begun = now();
  const deletedAt = await findDeletion(pool, applicationId);
  if (!deletedAt) return;
  const lastLookAt = new Date(deletedAt.getTime() + lastLookMillis);
  const isLast = begun >= lastLookAt;
  await eraseSecrets(pool, applicationId);
  await removeStoreAccess(pool, applicationId);
  const turn = { applicationId, endsAt: new Date(begun.getTime() + turnMillis), signal };
  // Campaigns last: an upload that is still being stored adds counts, and this job finds counts by their campaign.
  const batches = [
    removeWebhooks,
    removeDevices,
    removeFirsts,
    removeAttribution,
    removeIssues,
    removeQuotaUses,
    removePurchases,
    removeShows,
    ...(isLast ? [removeCampaigns] : []),
  ];
  const done = await removeInTurn(batches, turn, { pool, now });
  if (!done) return addRemovalJobsAt(pool, [applicationId], now());
  if (!isLast) return addRemovalJobsAt(pool, [applicationId], lastLookAt);
  await markApplicationRemoved(pool, applicationId);
  log.info({ applicationId }, 'a deleted application was removed');
}

interface Turn {
  applicationId: string;
  endsAt: Date;
  signal: AbortSignal;
}

/** False when the turn ended before everything was removed. */
async function removeInTurn(
  batches: RemoveBatch[],
  { applicationId, endsAt, signal }: Turn,
  { pool, now }: Pick<RemovalDeps, 'pool' | 'now'>,
): Promise<boolean> {
  for (const removeBatch of batches) {
    for (;;) {
      const from = performance.now();
      if (!(await removeBatch(pool, applicationId))) break;
      if (signal.aborted || now() >= endsAt) return false;
      // A pause as long as the batch: removals use the database for at most half of the time.
      await sleep(performance.now() - from);
    }
  }
  return true;
}
