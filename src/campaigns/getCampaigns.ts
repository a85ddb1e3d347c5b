// GET /api/v1/campaigns: the configuration that a device evaluates by itself, from memory.
import { createHash } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { WrittenJson } from '../platform/json/writtenJson.ts';
import type { CampaignConfig } from './campaignConfig.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import { mayReach, normalisedFacts, type DeviceFacts } from './coarseTargeting.ts';
import { onlyThese } from './writtenCampaigns.ts';

export interface GetCampaignsRequest {
  /** Has passed the contract. `deviceId` may be in it and is not looked at. */
  query: DeviceFacts;
  application: { id: string };
  arrivedAt: Date;
}

type Body = components['schemas']['CampaignConfig'];

interface CampaignsAnswer {
  body: WrittenJson<Body>;
  headers: { ETag: string; 'Cache-Control': 'private, no-cache' };
}

const fetchAgainSeconds = { latest: 900, soonest: 30 };

/** Throws when the campaigns are neither known nor to be read. */
export async function getCampaigns(
  { query, application, arrivedAt }: GetCampaignsRequest,
  directories: { campaigns: CampaignDirectory },
): Promise<CampaignsAnswer> {
  const config = await directories.campaigns.find(application.id, arrivedAt);
  const facts = normalisedFacts(query);
  const first: Omit<Body, 'campaigns'> = {
    revision: config.revision,
    serverTime: Math.floor(arrivedAt.getTime() / 1000),
    nextFetchSeconds: nextFetchSeconds(config, arrivedAt),
  };
  const reached = config.campaigns.filter(({ targeting }) => mayReach(targeting, facts));
  const campaigns = onlyThese(config.bytes, reached);
  const body = new WrittenJson<Body>([`${JSON.stringify(first).slice(0, -1)},"campaigns":[`, campaigns, ']}']);
  return { body, headers: { ETag: entityTag(config.revision, facts), 'Cache-Control': 'private, no-cache' } };
}

/** When the next campaign starts or ends by the clock, within bounds. */
function nextFetchSeconds({ until }: CampaignConfig, now: Date): number {
  const secondsToBoundary = Math.ceil((until - now.getTime()) / 1000);
  return Math.max(fetchAgainSeconds.soonest, Math.min(fetchAgainSeconds.latest, secondsToBoundary));
}

/** Changes exactly when the revision does, and is another one for another query, as the list may be. */
function entityTag(revision: string, facts: DeviceFacts): string {
  return `"${createHash('sha256').update(revision).update(JSON.stringify(facts)).digest('hex').slice(0, 32)}"`;
}
