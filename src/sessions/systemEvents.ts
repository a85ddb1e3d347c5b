// Handles system events (openapi.yaml, "Events"): counts outcomes of campaigns and removes properties.
import type { EventParams } from '../platform/json/propertyJson.ts';
import { isUuid } from '../platform/uuid.ts';

export interface CampaignOutcome {
  campaignId: string;
  /** `shown`, `resolved:<result>` or `unavailable:<reason>`. */
  outcome: string;
}

const results = new Set(['Completed', 'Dismissed', 'Unavailable', 'SkippedNoPresenter', 'SkippedNoContinuation']);
const unavailableReasons = new Set(['TimedOut', 'PresenterFailed', 'PresenterReported']);

const lookedUp = new Set(['CampaignShown', 'CampaignResolved', 'CustomPropertyChanged']);

/**
 * Whether the two functions below read the parameters of this event. With the map of the parameters an event takes ten
 * times as long.
 */
export function looksUpParams(name: string): boolean {
  return lookedUp.has(name);
}

/** What one system event adds to its campaign's counts. Words that openapi.yaml, "Events" does not list are stored and not counted. */
export function campaignOutcomes(name: string, params: EventParams): CampaignOutcome[] {
  const id = params.get('campaignId');
  if (typeof id !== 'string' || !isUuid(id)) return [];
  const campaignId = id.toLowerCase();
  if (name === 'CampaignShown') return [{ campaignId, outcome: 'shown' }];
  if (name !== 'CampaignResolved') return [];
  const result = params.get('result');
  if (typeof result !== 'string' || !results.has(result)) return [];
  const outcomes = [{ campaignId, outcome: `resolved:${result}` }];
  const reason = params.get('unavailableReason');
  if (result === 'Unavailable' && typeof reason === 'string' && unavailableReasons.has(reason)) {
    outcomes.push({ campaignId, outcome: `unavailable:${reason}` });
  }
  return outcomes;
}

/** The custom property that a CustomPropertyChanged event names and removes; null when the event has a `newValue`. */
export function removedProperty(name: string, params: EventParams): string | null {
  if (name !== 'CustomPropertyChanged' || params.has('newValue')) return null;
  const key = params.get('key');
  return typeof key === 'string' ? key : null;
}
