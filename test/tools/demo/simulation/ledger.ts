// Records what one simulated device did, apart from the SDK's own buffer, to compare it with the stored data.
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
  /** Events that the service refuses. They are not among those of `sessions`. */
  badEventIds: Set<string>;
  /** The events that the SDK had taken out and kept at the end of the run. */
  keptEventIds: Set<string>;
  /** The user's properties on the device at the end of the run. */
  userProperties: ReadonlyMap<string, PropertyValue>;
  /** The counts of the acknowledged events. */
  campaignCounts: CountsByCampaign;
  /** The shows of all recorded events. */
  shows: { campaignId: string; sessionId: string }[];
  pause: PauseCounts;
  /** Null until the app has reported its attribution. */
  attribution: AttributionData | null;
  attributionAcknowledged: boolean;
  acknowledgedTransactionIds: Set<string>;
  /** Unexpected responses, and warnings of the SDK. */
  problems: string[];
}

export function newLedger(deviceId: string): Ledger {
  return {
    deviceId,
    sessions: new Map(),
    acknowledgedEventIds: new Set(),
    badEventIds: new Set(),
    keptEventIds: new Set(),
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
      for (const { id, finishDate } of batch) if (finishDate) ledger.sessions.get(id)!.finished = true;
      const events = batch.flatMap((session) => session.events ?? []);
      const news = events.filter(({ id }) => !ledger.acknowledgedEventIds.has(id));
      // Only a device that has lost an acknowledgement sends acknowledged events again.
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

/** Call it when an event was damaged after it was recorded. */
export function noteBad(ledger: Ledger, sessionId: string, eventId: string): void {
  ledger.sessions.get(sessionId)?.eventIds.delete(eventId);
  ledger.badEventIds.add(eventId);
}

/** Without the bad ones. */
export function recordedEvents({ sessions }: Ledger): number {
  return [...sessions.values()].reduce((sum, { eventIds }) => sum + eventIds.size, 0);
}
