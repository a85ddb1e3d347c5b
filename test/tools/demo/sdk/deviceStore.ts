// The data that the SDK keeps on the device across restarts: unsent data, counters, user state, configuration, shows.
// Unsent data stays until a 2xx: openapi.yaml, "Retries". Refused data: openapi.yaml, "What becomes of refused data".
import type { Show } from './campaigns/frequency.ts';
import type { ClockState } from './deviceClock.ts';
import type { OptionalField } from './refusedPart.ts';
import { newUserState, type Users } from './userState.ts';
import type { Campaign, DeviceProperties, Session, SessionEvent } from './wire.ts';

/** Plain data. Write it to disk before a call of the SDK's API returns. */
export interface DeviceStore extends ClockState, Users {
  deviceId: string;
  deviceProperties: DeviceProperties;
  /** Sessions in the order of their start. A session leaves when its end and all its events are acknowledged. */
  sessions: BufferedSession[];
  openSessionId: string | null;
  /** Unix milliseconds; null in the foreground. */
  inBackgroundSince: number | null;
  lastEventAt: number;
  sessionNumber: { global: number; version: number; ofAppVersion: number };
  /** The values of `X-Timestamp` that the server may have accepted and that still matter: see timestampOrder.ts. */
  sentTimestamps: number[];
  configuration: HeldConfiguration | null;
  /** The newest `X-Config-Revision`; null after the next successful fetch. */
  revisionHeard: string | null;
  /** All activations of campaigns on this device. Frequency caps count them. */
  shows: Show[];
  /** The only report of this installation, as JSON text. Every attempt sends the same bytes until a 2xx. */
  attribution: { body: string; acknowledged: boolean } | null;
  /** Ids that are not acknowledged yet. */
  transactionIds: string[];
  /** The latest data that a 422 or a 413 took out, for the app's developers. It is not sent again. */
  takenOut: TakenOut[];
  /** Optional fields that a 422 named, with the refused value. They are left out until the value changes. */
  leftOut: Partial<Record<OptionalField, unknown>>;
  /** Refused attributions and transactions (413, 422). They are not sent again, although an app may repeat them. */
  refusedReports: { attributions: string[]; transactionIds: string[] };
}

export interface TakenOut {
  /** Path and message of the 422. */
  path: string;
  message: string;
  value: unknown;
}

export interface BufferedSession extends Omit<Session, 'events' | 'finishDate'> {
  finishDate: string | null;
  /** Events that are not acknowledged yet. */
  events: SessionEvent[];
  /** `no`: nothing of the session is acknowledged. `open`: acknowledged without its end. `finished`: with its end. */
  acknowledged: 'no' | 'open' | 'finished';
  /** The number of the user whose session it is. */
  userNumber: number;
  /** A 422 named the session while it was open. Nothing of it is sent any more. */
  refused?: boolean;
}

export interface HeldConfiguration {
  /** Path and query of the fetch. The tag belongs to exactly this URL. */
  path: string;
  tag: string;
  revision: string;
  campaigns: Campaign[];
  nextFetchSeconds: number;
  /** The time of the last 200 or 304, in Unix milliseconds by the corrected clock. */
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
    formerUsers: [],
    clockOffsetMillis: 0,
    clockKnown: false,
    sentTimestamps: [],
    configuration: null,
    revisionHeard: null,
    shows: [],
    attribution: null,
    transactionIds: [],
    takenOut: [],
    leftOut: {},
    refusedReports: { attributions: [], transactionIds: [] },
  };
}

/** Every session of a user that has something to send, in the shape of the wire. Its events are those of the store. */
export function unsentSessions({ sessions }: DeviceStore, userNumber?: number): Session[] {
  return sessions
    .filter((session) => hasNews(session) && (userNumber === undefined || session.userNumber === userNumber))
    .map(({ id, number, startDate, finishDate, events }) => ({
      id,
      number,
      startDate,
      finishDate,
      events: [...events],
    }));
}

/** Call it when all is sent: a former user without a session is not needed any more. */
export function forgetFormerUsers(store: DeviceStore): void {
  const needed = new Set(store.sessions.filter(hasNews).map(({ userNumber }) => userNumber));
  store.formerUsers = store.formerUsers.filter(({ number }) => needed.has(number));
}

/** Call it after a 2xx. It removes exactly the content of that upload. Events that were recorded meanwhile stay. */
export function acknowledgeBatch(store: DeviceStore, batch: Session[]): void {
  for (const sent of batch) {
    const session = store.sessions.find(({ id }) => id === sent.id);
    if (!session) continue;
    const sentIds = new Set((sent.events ?? []).map(({ id }) => id));
    session.events = session.events.filter(({ id }) => !sentIds.has(id));
    if (session.acknowledged !== 'finished') session.acknowledged = sent.finishDate ? 'finished' : 'open';
  }
  dropSentSessions(store);
}

export function dropSentSessions(store: DeviceStore): void {
  store.sessions = store.sessions.filter((session) => hasNews(session) || session.finishDate === null);
}

function hasNews({ events, acknowledged, finishDate, refused }: BufferedSession): boolean {
  if (refused) return false;
  return events.length > 0 || acknowledged === 'no' || (finishDate !== null && acknowledged !== 'finished');
}
