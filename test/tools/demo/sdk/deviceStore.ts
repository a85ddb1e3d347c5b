// What the SDK keeps on the device, across restarts: what waits to be acknowledged, counters, user state, configuration, shows.
import type { Show } from './campaigns/frequency.ts';
import type { ClockState } from './deviceClock.ts';
import { newUserState, type UserState } from './userState.ts';
import type { Campaign, DeviceProperties, Session, SessionEvent } from './wire.ts';

/** Plain data: write it to disk before an API call of the SDK returns. */
export interface DeviceStore extends ClockState {
  deviceId: string;
  deviceProperties: DeviceProperties;
  /** In order of their start; a session leaves when it was acknowledged as finished with all its events. */
  sessions: BufferedSession[];
  openSessionId: string | null;
  /** Unix milliseconds; null in the foreground. */
  inBackgroundSince: number | null;
  lastEventAt: number;
  sessionNumber: { global: number; version: number; ofAppVersion: number };
  user: UserState;
  /** Each `X-Timestamp` that the server may have taken, as far as it still matters: see timestampOrder.ts. */
  sentTimestamps: number[];
  configuration: HeldConfiguration | null;
  /** The newest `X-Config-Revision`; null once a fetch has followed it. */
  revisionHeard: string | null;
  /** Every activation of a campaign on this device: what frequency caps count. */
  shows: Show[];
  /** The one report of this installation, as JSON text: the same bytes each time, until it was acknowledged. */
  attribution: { body: string; acknowledged: boolean } | null;
  /** Not acknowledged yet. */
  transactionIds: string[];
  /** Batches that the server refused for their content (422): kept for a person to look at, not sent again as they are. */
  refusedBatches: Session[][];
  /** Attributions and transactions likewise (413, 422). An app may report them at every start. */
  refusedReports: { attributions: string[]; transactionIds: string[] };
}

export interface BufferedSession extends Omit<Session, 'events' | 'finishDate'> {
  finishDate: string | null;
  /** Not acknowledged yet. */
  events: SessionEvent[];
  /** Whether the server has the session at all, and whether it has its end. */
  acknowledged: 'no' | 'open' | 'finished';
}

export interface HeldConfiguration {
  /** Path and query of the fetch, to which the tag belongs. */
  path: string;
  tag: string;
  revision: string;
  campaigns: Campaign[];
  nextFetchSeconds: number;
  /** Unix milliseconds by the corrected clock: of the last 200 or 304. */
  fetchedAt: number;
}

export function newDeviceStore(deviceId: string, deviceProperties: DeviceProperties): DeviceStore {
  return {
    deviceId,
    deviceProperties,
    sessions: [],
    openSessionId: null,
    inBackgroundSince: null,
    lastEventAt: 0,
    sessionNumber: { global: 0, version: 0, ofAppVersion: deviceProperties.appVersionNormalized },
    user: newUserState(),
    clockOffsetMillis: 0,
    sentTimestamps: [],
    configuration: null,
    revisionHeard: null,
    shows: [],
    attribution: null,
    transactionIds: [],
    refusedBatches: [],
    refusedReports: { attributions: [], transactionIds: [] },
  };
}

/** What has to be sent: every session with news, in the wire's shape. */
export function unsentSessions({ sessions }: DeviceStore): Session[] {
  return sessions
    .filter(hasNews)
    .map(({ acknowledged: _, ...session }) => ({ ...session, events: [...session.events] }));
}

/** After a 2xx: removes exactly what that upload held. Events recorded while it was under way stay. */
export function acknowledgeBatch(store: DeviceStore, batch: Session[]): void {
  for (const sent of batch) {
    const session = store.sessions.find(({ id }) => id === sent.id);
    if (!session) continue;
    const sentIds = new Set((sent.events ?? []).map(({ id }) => id));
    session.events = session.events.filter(({ id }) => !sentIds.has(id));
    if (session.acknowledged !== 'finished') session.acknowledged = sent.finishDate ? 'finished' : 'open';
  }
  store.sessions = store.sessions.filter((session) => hasNews(session) || session.finishDate === null);
}

/** After a refusal for its content: the batch leaves the queue, so that what follows it can go. */
export function setBatchAside(store: DeviceStore, batch: Session[]): void {
  acknowledgeBatch(store, batch);
  store.refusedBatches.push(batch);
}

function hasNews({ events, acknowledged, finishDate }: BufferedSession): boolean {
  return events.length > 0 || acknowledged === 'no' || (finishDate !== null && acknowledged !== 'finished');
}
