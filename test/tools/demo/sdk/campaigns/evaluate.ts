// Decides which campaign an event activates, step by step and without I/O: openapi.yaml, getCampaigns, "Evaluation".
import type { components } from '../../../../../generated/openapi.ts';
import { isWithinCaps, withoutFuture, type Moment, type Show } from './frequency.ts';
import { isScheduled } from './schedule.ts';
import { isTargeted, type DeviceFacts, type PropertyMap } from './targeting.ts';
import { isEvaluated, isTriggered, type RecordedEvent } from './trigger.ts';

type Campaign = components['schemas']['Campaign'];

export interface Situation extends Moment {
  event: RecordedEvent;
  /** The campaigns of the configuration in force; empty without a configuration. */
  campaigns: Campaign[];
  device: DeviceFacts;
  /** The user's properties after the event. */
  userProperties: PropertyMap;
  /** Whether a blocking action of this process is unresolved. */
  blockingUnresolved: boolean;
  /** All shows of all campaigns on this device. */
  shows: Show[];
}

export interface Decision {
  /** The campaign to activate, or null: persist `shows`, record `CampaignShown`, then perform the action. */
  campaign: Campaign | null;
  /** The show log after the decision. */
  shows: Show[];
}

export function evaluate(situation: Situation): Decision {
  const { event, campaigns, now, sessionId } = situation;
  if (!isEvaluated(event)) return { campaign: null, shows: situation.shows };
  const shows = withoutFuture(situation.shows, now);
  const passing = inOrder(campaigns).find((campaign) => passes(campaign, { ...situation, shows }));
  if (!passing) return { campaign: null, shows };
  return { campaign: passing, shows: [...shows, { campaignId: passing.id, at: now, sessionId }] };
}

function passes(campaign: Campaign, situation: Situation): boolean {
  const { event, device, userProperties, now, blockingUnresolved } = situation;
  const shows = situation.shows.filter(({ campaignId }) => campaignId === campaign.id);
  return (
    isScheduled(campaign.schedule, now) &&
    isTriggered(campaign.trigger, event) &&
    isTargeted(campaign.targeting, device, userProperties) &&
    isWithinCaps(campaign.frequency, shows, situation) &&
    !(campaign.action.blocking && blockingUnresolved)
  );
}

/** The server delivers this order. Sorting again keeps all platforms alike when the server makes a mistake. */
function inOrder(campaigns: Campaign[]): Campaign[] {
  return [...campaigns].sort((one, other) => other.priority - one.priority || (one.id < other.id ? -1 : 1));
}
