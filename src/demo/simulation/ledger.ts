// What one simulated device really recorded, kept apart from the SDK's buffer, to hold the stored data against.
import type { SdkObserver } from '../sdk/sdkClient.ts';
import type { PropertyValue } from '../sdk/wire.ts';
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
  /** Answers that should not have been given. */
  problems: string[];
}

export function newLedger(deviceId: string): Ledger {
  return { deviceId, sessions: new Map(), acknowledgedEventIds: new Set(), userProperties: new Map(), problems: [] };
}

export function ledgerObserver(ledger: Ledger, tally: Tally): SdkObserver {
  return {
    onEvent(sessionId, { id, name }) {
      const session = ledger.sessions.get(sessionId) ?? { eventIds: new Set(), finished: false };
      session.eventIds.add(id);
      session.finished ||= name === 'SessionFinished';
      ledger.sessions.set(sessionId, session);
      tally.events += 1;
    },
    onUpload(step) {
      tally.steps[step] += 1;
    },
    onAcknowledged(batch) {
      tally.acknowledgedUploads += 1;
      const ids = batch.flatMap(({ events }) => events ?? []).map(({ id }) => id);
      // Only a device that forgot an acknowledgement sends what was acknowledged before.
      if (ids.length > 0 && ids.every((id) => ledger.acknowledgedEventIds.has(id))) tally.duplicates += 1;
      for (const id of ids) ledger.acknowledgedEventIds.add(id);
    },
  };
}

export function recordedEvents({ sessions }: Ledger): number {
  return [...sessions.values()].reduce((sum, { eventIds }) => sum + eventIds.size, 0);
}
