// How often the devices of a batch have shown which campaign (pure).
import { sessionKey, type EventRow } from '../upload.ts';
import type { CountIncrement, SessionAnchor } from './uploadsStore.ts';

export interface ShowIncrement {
  campaignId: string;
  applicationId: string;
  deviceKey: string;
  shows: number;
  /** The earliest first arrival of the sessions with a show: a date. */
  anchoredOn: string;
}

/** Sorted. `increments` are those of `inserted`: without a show among them, the events are not looked at. */
export function shownCampaigns(
  inserted: readonly EventRow[],
  increments: readonly CountIncrement[],
  anchors: ReadonlyMap<string, SessionAnchor>,
): ShowIncrement[] {
  if (!increments.some(({ outcome }) => outcome === 'shown')) return [];
  const shows = new Map<string, ShowIncrement>();
  for (const event of inserted) {
    for (const { campaignId, outcome } of event.outcomes) {
      if (outcome !== 'shown') continue;
      const { applicationId, deviceKey } = event;
      const { anchoredOn } = anchors.get(sessionKey(event, event.sessionId))!;
      const key = `${campaignId}\0${deviceKey}`;
      const known = shows.get(key);
      if (!known) shows.set(key, { campaignId, applicationId, deviceKey, shows: 1, anchoredOn });
      else {
        known.shows += 1;
        if (anchoredOn < known.anchoredOn) known.anchoredOn = anchoredOn;
      }
    }
  }
  return [...shows.keys()].sort().map((key) => shows.get(key)!);
}
