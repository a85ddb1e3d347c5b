// The configuration that devices fetch: the campaigns of an application at an instant, and the revision.
import { createHash } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import type { StoredCampaign } from './campaignRecord.ts';
import { boundariesOf, isPublished, stateAt } from './campaignState.ts';
import { deliveredCampaign } from './deliveredCampaign.ts';
import { writtenCampaigns, type WrittenCampaign } from './writtenCampaigns.ts';

type Campaign = components['schemas']['Campaign'];

/** Valid for every instant in `from` ≤ now < `until`, in Unix milliseconds. */
export interface CampaignConfig {
  /** Of the whole configuration. A device's query does not change it. */
  revision: string;
  /** Highest priority first, then by id. */
  campaigns: WrittenCampaign[];
  /** The JSON of these campaigns, and of others that devices do not get now. */
  bytes: Buffer;
  from: number;
  until: number;
}

export type Configure = (now: Date) => CampaignConfig;

/**
 * `stored` are the campaigns of one application. Work that grows with their size is done here, once: an owner may start
 * thousands of campaigns within a minute, and all uploads wait while a configuration is made.
 */
export function campaignConfigs(stored: StoredCampaign[]): Configure {
  const prepared = stored.flatMap(prepare).sort((one, other) => byOrder(one.campaign, other.campaign));
  const { bytes, campaigns } = writtenCampaigns(prepared);
  const spansOf = prepared.map(({ spans }) => spans);
  return (now) => {
    const time = now.getTime();
    const config = { campaigns: [] as WrittenCampaign[], bytes, from: -Infinity, until: Infinity };
    const marks: string[] = [];
    for (const [index, spans] of spansOf.entries()) {
      const { from, until, mark } = spans.find((span) => time < span.until)!;
      if (from > config.from) config.from = from;
      if (until < config.until) config.until = until;
      if (mark === null) continue;
      config.campaigns.push(campaigns[index]!);
      marks.push(mark);
    }
    return { revision: `r-${digestOf(marks.join('\n'))}`, ...config };
  };
}

interface Prepared {
  campaign: Campaign;
  json: string;
  /** In order of time, from the smallest instant to the largest. */
  spans: Span[];
}

/** Between two instants at which the clock changes a campaign's state. */
interface Span {
  from: number;
  until: number;
  /** The campaign's part of the revision; null where devices do not get the campaign. */
  mark: string | null;
}

function prepare(stored: StoredCampaign): Prepared[] {
  const campaign = isPublished(stored.state) ? deliveredCampaign(stored) : null;
  if (!campaign) return [];
  // jsonb orders keys in one way, so every process makes the same text.
  const json = JSON.stringify(campaign);
  const digest = digestOf(json);
  const instants = [-Infinity, ...boundariesOf(stored).map((instant) => instant.getTime()), Infinity];
  const spans = instants.slice(1).map((until, index) => {
    const from = instants[index]!;
    const state = stateAt(stored, new Date(Math.max(from, earliest)));
    // The state belongs to it because the revision changes at `startAt` too.
    return { from, until, mark: isPublished(state) ? `${state} ${digest}` : null };
  });
  return [{ campaign, json, spans }];
}

/** The largest instant that a Date holds. */
const earliest = -8.64e15;

function byOrder(one: Campaign, other: Campaign): number {
  return other.priority - one.priority || (one.id < other.id ? -1 : 1);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
