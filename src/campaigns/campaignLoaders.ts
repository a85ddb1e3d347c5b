// Loads the counts and the histories of many campaigns, each in one statement.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { AnswerBudget, Room } from '../platform/answerBudget.ts';
import { batchRows, costOfLists, type Batch } from '../platform/batch.ts';
import { findCampaignChanges, type CampaignChangeRecord, type HistoryPage } from './campaignHistoryStore.ts';
import { campaignStats, type CampaignStats } from './campaignStatsStore.ts';

type HistoryOfCampaign = Batch<string, CampaignChangeRecord[]>;

export interface CampaignLoaders {
  campaignStats: Batch<string, CampaignStats>;
  /** `page` applies to each campaign. An alias may ask for another page. */
  campaignHistory(page: HistoryPage): HistoryOfCampaign;
}

export function createCampaignLoaders(adminPool: Pool, budget: AnswerBudget): CampaignLoaders {
  const fetch = (ids: readonly string[]) => campaignStats(adminPool, ids);
  const histories = new Map<string, HistoryOfCampaign>();
  return {
    campaignStats: batchRows(budget, fetch, ({ id }) => id),
    campaignHistory(page) {
      const key = `${page.organizationId} ${page.limit} ${page.before?.getTime()}`;
      const loader = histories.get(key) ?? historyLoader(adminPool, budget, page);
      histories.set(key, loader);
      return loader;
    },
  };
}

function historyLoader(adminPool: Pool, budget: AnswerBudget, page: HistoryPage): HistoryOfCampaign {
  const fetch = async (ids: readonly string[], room: Room) => {
    const histories = new Map<string, CampaignChangeRecord[]>(ids.map((id) => [id, []]));
    const found = await findCampaignChanges(adminPool, [...histories.keys()], { ...page, room });
    for (const change of found) histories.get(change.campaignId)?.push(change);
    return ids.map((id) => histories.get(id)!);
  };
  return new DataLoader((ids) => budget.read((room) => fetch(ids, room), costOfHistories), { cache: false });
}

/** Each changed field counts beside its change: both are objects of a list. */
function costOfHistories(histories: readonly CampaignChangeRecord[][]) {
  const { rows, bytes } = costOfLists(histories, (change) => change.bytes);
  const fields = histories
    .flat()
    .reduce((sum, { changes, details }) => sum + (changes ?? details.fields ?? []).length, 0);
  return { rows: rows + fields, bytes };
}
