// Loads the counts of many campaigns in one statement.
import type { Pool } from 'pg';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { batchRows, type Batch } from '../platform/batch.ts';
import { campaignStats, type CampaignStats } from './campaignStatsStore.ts';

export interface CampaignLoaders {
  campaignStats: Batch<string, CampaignStats>;
}

export function createCampaignLoaders(adminPool: Pool, budget: AnswerBudget): CampaignLoaders {
  const fetch = (ids: readonly string[]) => campaignStats(adminPool, ids);
  return { campaignStats: batchRows(budget, fetch, ({ id }) => id) };
}
