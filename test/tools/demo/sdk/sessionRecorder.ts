// Starts and ends sessions, and records every event: openapi.yaml, reportSessions, "Session lifecycle".
// The events are those of openapi.yaml, reportSessions, "Events".
import type { Continuation } from './campaigns/campaignRunner.ts';
import { isoDate, type DeviceClock } from './deviceClock.ts';
import type { BufferedSession, DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import { sdkInitialized, sessionFinished, sessionStarted, type NewEvent } from './systemEvents.ts';
import { isRemoval, loseTrack } from './userState.ts';
import type { SessionEvent } from './wire.ts';

export interface RecorderParts {
  store: DeviceStore;
  clock: DeviceClock;
  environment: SdkEnvironment;
  /** Called once for each event, in the order of recording. Returns whether a blocking action took the continuation. */
  onRecorded(sessionId: string, event: SessionEvent, continuation: Continuation | null): boolean;
}

export interface RecordOptions {
  /** Unix milliseconds; default: now. */
  at?: number;
  /** The app's callback for the end of a blocking action that this event activates. */
  continuation?: Continuation | null;
}

export class SessionRecorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  start(type: 'cold' | 'warm'): void {
    const { store, environment } = this.#parts;
    const { sessionNumber, deviceProperties } = store;
    const updated = sessionNumber.ofAppVersion !== deviceProperties.appVersionNormalized;
    sessionNumber.global += 1;
    sessionNumber.version = updated ? 1 : sessionNumber.version + 1;
    sessionNumber.ofAppVersion = deviceProperties.appVersionNormalized;
    const { global, version } = sessionNumber;
    const id = environment.newId();
    const startDate = this.#iso(this.now());
    const session = { id, number: { global, version }, startDate, finishDate: null, events: [] };
    store.sessions.push({ ...session, acknowledged: 'no', userNumber: store.user.number });
    store.openSessionId = id;
    store.inBackgroundSince = null;
    this.record(sessionStarted(type));
    this.record(sdkInitialized());
  }

  finish(at: number): void {
    const session = this.#openSession();
    if (!session) return;
    this.record(sessionFinished(), { at });
    session.finishDate = this.#iso(at);
    this.#parts.store.openSessionId = null;
  }

  /** Ends a session whose process died, without an event: openapi.yaml, reportSessions, "A process that died". */
  finishLost(): void {
    const session = this.#openSession();
    if (!session) return;
    session.finishDate = this.#iso(this.#parts.store.lastEventAt);
    this.#parts.store.openSessionId = null;
  }

  /** Returns whether a blocking action has begun. It calls the continuation at its end. */
  record({ name, type, params }: NewEvent, { at = this.now(), continuation = null }: RecordOptions = {}): boolean {
    const { store, environment, onRecorded } = this.#parts;
    const session = this.#openSession();
    if (!session) {
      environment.warn(`${name} was not recorded: no session is open`);
      return false;
    }
    const timestamp = at / 1_000;
    const event = { id: environment.newId(), name, type, timestamp, date: this.#iso(at), params };
    session.events.push(event);
    // The server never hears of this removal, so the next upload brings the whole set.
    if (session.refused && isRemoval(event)) loseTrack(store.user);
    store.lastEventAt = at;
    // An event in the background belongs to the session, so the session must not end before it.
    if (store.inBackgroundSince !== null && name !== 'SessionFinished') store.inBackgroundSince = at;
    return onRecorded(session.id, event, continuation);
  }

  /** Whole Unix milliseconds by the corrected clock. Never before 1970, because the server refuses earlier times. */
  now(): number {
    const { clock, environment } = this.#parts;
    const now = clock.now();
    return Math.max(0, Math.floor(environment.eventTime?.(now) ?? now));
  }

  #openSession(): BufferedSession | undefined {
    const { sessions, openSessionId } = this.#parts.store;
    return openSessionId === null ? undefined : sessions.find(({ id }) => id === openSessionId);
  }

  #iso(millis: number): string {
    return isoDate(millis, this.#parts.environment.utcOffsetMinutes());
  }
}
