// GET /api/v1/campaigns: sends the configuration that a device evaluates by itself. It comes from memory.
import { createHash } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { WrittenJson } from '../platform/json/writtenJson.ts';
import type { CampaignConfig } from './campaignConfig.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import { mayReach, normalisedFacts, type DeviceFacts } from './coarseTargeting.ts';
import { onlyThese } from './writtenCampaigns.ts';

export interface GetCampaignsRequest {
  /** Has passed the contract. `deviceId` may be present and changes nothing. */
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

/** Throws when the campaigns are not in memory and cannot be read. */
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

/** Seconds until the next campaign starts or ends by the clock, within bounds. */
function nextFetchSeconds({ until }: CampaignConfig, now: Date): number {
  const secondsToBoundary = Math.ceil((until - now.getTime()) / 1000);
  return Math.max(fetchAgainSeconds.soonest, Math.min(fetchAgainSeconds.latest, secondsToBoundary));
}

/** Changes exactly when the revision changes. Another query gets another tag, because its list may differ. */
function entityTag(revision: string, facts: DeviceFacts): string {
  return `"${createHash('sha256').update(revision).update(JSON.stringify(facts)).digest('hex').slice(0, 32)}"`;
}
