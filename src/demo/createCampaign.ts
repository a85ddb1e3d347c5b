// Creates a campaign of the run as a draft, as the mutation campaignEdit does.
import type { Pool } from 'pg';
import type { CampaignEditInput } from '../../generated/graphql.ts';
import type { CampaignContent } from '../campaigns/campaignRecord.ts';
import { insertCampaign } from '../campaigns/campaignsStore.ts';

/** Answers its id. */
export async function createCampaign(
  pool: Pool,
  applicationId: string,
  input: CampaignEditInput & { name: string },
): Promise<string> {
  const { name, description, priority, trigger, targeting, frequency, schedule, action } = input;
  const content = {
    ...{ name, description: description ?? null, state: 'DRAFT', priority: priority ?? 0 },
    ...{ trigger: trigger ?? null, targeting: targeting ?? null, frequency: frequency ?? null, action: action ?? null },
    ...{ startAt: schedule?.startAt ?? null, endAt: schedule?.endAt ?? null },
  };
  const draft = content as CampaignContent;
  return (await insertCampaign(pool, { applicationId, content: draft, now: new Date() })).id;
}
