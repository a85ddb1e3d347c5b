// GET /api/v1/campaigns: sends the configuration that a device evaluates by itself. It comes from memory.
import { createHash } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { WrittenJson } from '../platform/json/jsonBytes.ts';
import { type CampaignConfig, type CampaignDirectory, onlyThese } from './campaignDirectory.ts';

export interface GetCampaignsRequest {
  /** Has passed the contract. `deviceId` may be present and changes nothing. */
  query: DeviceFacts;
  application: { id: string };
  arrivedAt: Date;
}

type Body = components['schemas']['CampaignConfig'];

interface CampaignsResponse {
  body: WrittenJson<Body>;
  headers: { ETag: string; 'Cache-Control': 'private, no-cache' };
}

const fetchAgainSeconds = { latest: 900, soonest: 30 };

/** Throws when the campaigns are not in memory and cannot be read. */
export async function getCampaigns(
  { query, application, arrivedAt }: GetCampaignsRequest,
  directories: { campaigns: CampaignDirectory },
): Promise<CampaignsResponse> {
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

// The targeting that the server applies: platform, versions and country, each only when the request gives a value.

type Targeting = components['schemas']['CampaignTargeting'];

/** The facts that a device gives in its request. An absent fact filters nothing. */
export interface DeviceFacts {
  platform?: 'iOS' | 'Android';
  appVersion?: number;
  osVersion?: number;
  sdkVersion?: number;
  country?: string;
}

/** Equal facts get equal texts: an empty country counts as absent, and the case of a country does not matter. */
export function normalisedFacts({ platform, appVersion, osVersion, sdkVersion, country }: DeviceFacts): DeviceFacts {
  return {
    ...(platform !== undefined && { platform }),
    ...(appVersion !== undefined && { appVersion }),
    ...(osVersion !== undefined && { osVersion }),
    ...(sdkVersion !== undefined && { sdkVersion }),
    ...(country !== undefined && country !== '' && { country: asciiUpperCase(country) }),
  };
}

/** False when no device with these normalised facts can match. */
export function mayReach(targeting: Targeting, { platform, country, ...versions }: DeviceFacts): boolean {
  const { platforms, countries, appVersion, osVersion, sdkVersion } = targeting;
  if (platform !== undefined && platforms.length > 0 && !platforms.includes(platform)) return false;
  if (country !== undefined && countries.length > 0 && !countries.some((code) => asciiUpperCase(code) === country)) {
    return false;
  }
  return (
    within(appVersion, versions.appVersion) &&
    within(osVersion, versions.osVersion) &&
    within(sdkVersion, versions.sdkVersion)
  );
}

function within({ min, max }: Targeting['appVersion'], version: number | undefined): boolean {
  if (version === undefined) return true;
  return (min === null || version >= min) && (max === null || version <= max);
}

/** Only ASCII letters: toUpperCase() turns "ß" into "SS" and changes letters of other scripts. */
function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
