// Tells the moves that the clock has made. Every process repeats it, and the lock of each campaign's row lets one of them tell a move.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import { findMovedCampaigns, tryLockCampaign } from './campaignClocksStore.ts';
import { tellMoveByClock } from './tellMoves.ts';

const batchSize = 100;

/** Ends when no more than one batch was due. A campaign that another transaction holds is left to it. */
export async function tellMovesByClock(pool: Pool, now: () => Date = () => new Date()): Promise<void> {
  for (;;) {
    const ids = await findMovedCampaigns(pool, { now: now(), limit: batchSize });
    let told = 0;
    for (const id of ids) told += (await tellOne(pool, id, now)) ? 1 : 0;
    if (ids.length < batchSize || told === 0) return;
  }
}

async function tellOne(pool: Pool, id: string, now: () => Date): Promise<boolean> {
  return inTransaction(pool, async (transaction) => {
    const campaign = await tryLockCampaign(transaction, id);
    if (!campaign) return false;
    await tellMoveByClock(transaction, campaign, now());
    return true;
  });
}
