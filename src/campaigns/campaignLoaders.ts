// The counts of many campaigns in one statement.
import type { Pool } from 'pg';
import { batchRows, type Batch } from '../platform/batch.ts';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { campaignStats, type CampaignStats } from './campaignStatsStore.ts';

export interface CampaignLoaders {
  campaignStats: Batch<string, CampaignStats>;
}

export function createCampaignLoaders(pool: Pool, budget: AnswerBudget): CampaignLoaders {
  const fetch = (ids: readonly string[]) => campaignStats(pool, ids);
  return { campaignStats: batchRows(budget, fetch, ({ id }) => id) };
}
