// Which campaign an event activates: the algorithm of openapi.yaml (getCampaigns, "Evaluation"), step by step and without I/O.
import type { components } from '../../../../../generated/openapi.ts';
import { isWithinCaps, withoutFuture, type Moment, type Show } from './frequency.ts';
import { isScheduled } from './schedule.ts';
import { isTargeted, type DeviceFacts, type PropertyMap } from './targeting.ts';
import { isEvaluated, isTriggered, type RecordedEvent } from './trigger.ts';

type Campaign = components['schemas']['Campaign'];

export interface Situation extends Moment {
  event: RecordedEvent;
  /** Of the configuration in force; empty without one. */
  campaigns: Campaign[];
  device: DeviceFacts;
  /** As they are after the event. */
  userProperties: PropertyMap;
  /** Whether a blocking action of this process is unresolved. */
  blockingUnresolved: boolean;
  /** All shows on this device, of every campaign. */
  shows: Show[];
}

export interface Decision {
  /** To be activated now: persist `shows`, record `CampaignShown`, then perform the action. */
  campaign: Campaign | null;
  /** The log after the decision. */
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

/** As delivered; sorted again, so that a server's mistake does not become a difference between platforms. */
function inOrder(campaigns: Campaign[]): Campaign[] {
  return [...campaigns].sort((one, other) => other.priority - one.priority || (one.id < other.id ? -1 : 1));
}
