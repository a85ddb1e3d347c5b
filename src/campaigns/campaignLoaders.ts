// The counts of many campaigns in one statement.
import type { Pool } from 'pg';
import { batchRows, type Batch } from '../platform/batch.ts';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { campaignStats, type CampaignStats } from './campaignStatsStore.ts';

export interface CampaignLoaders {
  campaignStats: Batch<string, CampaignStats>;
}

export function createCampaignLoaders(pool: Pool, budget: AnswerBudget): CampaignLoaders {
  const fetch = async (ids: readonly string[]) => {
    const stats = await campaignStats(pool, ids);
    return stats.map((counted, at) => ({ id: ids[at]!, ...counted }));
  };
  return { campaignStats: batchRows(budget, fetch, ({ id }) => id) };
}
