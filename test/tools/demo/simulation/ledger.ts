// What one simulated device really recorded and reported, kept apart from the SDK's buffer, to hold the stored data against.
import type { SdkObserver } from '../sdk/sdkClient.ts';
import type { PropertyValue, SessionEvent } from '../sdk/wire.ts';
import { count, type CountsByCampaign } from './campaignCounts.ts';
import { noPauseCounts, type PauseCounts, type PauseWatch } from './pauseWatch.ts';
import type { AttributionData } from './persona.ts';
import type { Tally } from './tally.ts';

export interface RecordedSession {
  eventIds: Set<string>;
  finished: boolean;
}

export interface Ledger {
  deviceId: string;
  sessions: Map<string, RecordedSession>;
  acknowledgedEventIds: Set<string>;
  /** As the device has them at its end. */
  userProperties: ReadonlyMap<string, PropertyValue>;
  /** Of the acknowledged events. */
  campaignCounts: CountsByCampaign;
  /** Of all recorded events. */
  shows: { campaignId: string; sessionId: string }[];
  pause: PauseCounts;
  /** Null until the app has reported it. */
  attribution: AttributionData | null;
  attributionAcknowledged: boolean;
  acknowledgedTransactionIds: Set<string>;
  /** Answers that should not have been given. */
  problems: string[];
}

export function newLedger(deviceId: string): Ledger {
  return {
    deviceId,
    sessions: new Map(),
    acknowledgedEventIds: new Set(),
    userProperties: new Map(),
    campaignCounts: new Map(),
    shows: [],
    pause: noPauseCounts(),
    attribution: null,
    attributionAcknowledged: false,
    acknowledgedTransactionIds: new Set(),
    problems: [],
  };
}

interface Watchers {
  tally: Tally;
  watch: PauseWatch;
}

export function ledgerObserver(ledger: Ledger, { tally, watch }: Watchers): SdkObserver {
  return {
    onEvent(sessionId, event) {
      noteRecorded(ledger, sessionId, event);
      watch.noteEvent(event);
      tally.events += 1;
    },
    onUpload(step) {
      tally.steps[step] += 1;
    },
    onAcknowledged(batch) {
      tally.acknowledgedUploads += 1;
      const events = batch.flatMap((session) => session.events ?? []);
      const news = events.filter(({ id }) => !ledger.acknowledgedEventIds.has(id));
      // Only a device that forgot an acknowledgement sends what was acknowledged before.
      if (events.length > 0 && news.length === 0) tally.duplicates += 1;
      for (const event of news) {
        ledger.acknowledgedEventIds.add(event.id);
        count(ledger.campaignCounts, event);
      }
    },
    onAttribution() {
      ledger.attributionAcknowledged = true;
    },
    onTransactions(ids) {
      for (const id of ids) ledger.acknowledgedTransactionIds.add(id);
    },
  };
}

function noteRecorded(ledger: Ledger, sessionId: string, { id, name, params }: SessionEvent): void {
  const session = ledger.sessions.get(sessionId) ?? { eventIds: new Set(), finished: false };
  session.eventIds.add(id);
  session.finished ||= name === 'SessionFinished';
  ledger.sessions.set(sessionId, session);
  if (name !== 'CampaignShown') return;
  const campaignId = params.find((param) => param.name === 'campaignId')?.value;
  ledger.shows.push({ campaignId: String(campaignId), sessionId });
}

export function recordedEvents({ sessions }: Ledger): number {
  return [...sessions.values()].reduce((sum, { eventIds }) => sum + eventIds.size, 0);
}
