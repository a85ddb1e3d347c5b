// The reference SDK client: what an app calls, and the session's life. Every call records on the device; flush() sends.
import { DeviceClock, isoDate } from './deviceClock.ts';
import type { BufferedSession, DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import { problemOfEvent, problemOfProperty } from './inputRules.ts';
import { Outbox, type FlushResult } from './outbox.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import {
  customPropertyChanged,
  eventTriggered,
  sdkInitialized,
  sessionFinished,
  sessionStarted,
  type NewEvent,
} from './systemEvents.ts';
import { Uploader, type UploadStep } from './uploader.ts';
import { namedValues, type Properties, type PropertyValue, type Session, type SessionEvent } from './wire.ts';

export interface SdkObserver {
  onEvent(sessionId: string, event: SessionEvent): void;
  onUpload(step: UploadStep | 'halved'): void;
  onAcknowledged(batch: Session[]): void;
}

export interface SdkOptions {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  observer: SdkObserver;
  /** Leave it out: the simulation shuffles here. */
  orderBatches?(batches: Session[][]): Session[][];
}

/** One per process of the app. `store` outlives it. */
export class SdkClient {
  readonly #options: SdkOptions;
  readonly #store: DeviceStore;
  readonly #clock: DeviceClock;
  readonly #outbox: Outbox;

  constructor(options: SdkOptions, store: DeviceStore) {
    const { credentials, settings, environment, observer, orderBatches } = options;
    this.#options = options;
    this.#store = store;
    this.#clock = new DeviceClock(environment, store);
    const onStep = (step: UploadStep): void => observer.onUpload(step);
    const uploader = new Uploader({ credentials, settings, environment, clock: this.#clock, store, onStep });
    this.#outbox = new Outbox({ store, uploader, settings, environment, observer, orderBatches });
  }

  /** The app's process has started. A session that the last process left open ended with its last event. */
  launch(): void {
    this.#finishSession(this.#store.inBackgroundSince ?? this.#store.lastEventAt);
    this.#startSession('cold');
  }

  enterBackground(): void {
    this.#store.inBackgroundSince = this.#now();
  }

  /**
   * Within the session timeout the session goes on; after it, the session ended when the app was left. On a phone measure
   * this with the monotonic clock: the corrected one may jump meanwhile.
   */
  enterForeground(): void {
    const since = this.#store.inBackgroundSince;
    this.#store.inBackgroundSince = null;
    if (since === null || this.#now() - since <= this.#options.settings.sessionTimeoutMillis) return;
    this.#finishSession(since);
    this.#startSession('warm');
  }

  /** An orderly end of the process. */
  close(): void {
    this.#finishSession(this.#store.inBackgroundSince ?? this.#now());
  }

  track(name: string, properties: Properties = {}): void {
    const problem = problemOfEvent(name, properties);
    if (problem) return this.#options.environment.warn(`not tracked: ${problem}`);
    this.#record({ name, type: 'custom', params: namedValues(properties) });
    this.#record(eventTriggered(name, properties));
  }

  setUserId(id: string | null): void {
    this.#store.user.id = id;
  }

  setCustomProperty(key: string, newValue: PropertyValue): void {
    const problem = problemOfProperty(key, newValue);
    if (problem) return this.#options.environment.warn(`not set: ${problem}`);
    const { properties, changed } = this.#store.user;
    const oldValue = properties.get(key);
    properties.set(key, newValue);
    changed.add(key);
    this.#record(customPropertyChanged({ key, oldValue, newValue }));
  }

  removeCustomProperty(key: string): void {
    const { properties, changed } = this.#store.user;
    const oldValue = properties.get(key);
    if (!properties.delete(key)) return;
    changed.delete(key);
    this.#record(customPropertyChanged({ key, oldValue, newValue: undefined }));
  }

  clearCustomProperties(): void {
    for (const key of [...this.#store.user.properties.keys()]) this.removeCustomProperty(key);
  }

  /**
   * Sends everything that waits. Call it on a schedule (once a minute, say), when the app goes to the background and at
   * its start, not once per event.
   */
  flush(): Promise<FlushResult> {
    return this.#outbox.flush();
  }

  #startSession(type: 'cold' | 'warm'): void {
    const { sessionNumber, deviceProperties } = this.#store;
    const updated = sessionNumber.ofAppVersion !== deviceProperties.appVersionNormalized;
    sessionNumber.global += 1;
    sessionNumber.version = updated ? 1 : sessionNumber.version + 1;
    sessionNumber.ofAppVersion = deviceProperties.appVersionNormalized;
    const { global, version } = sessionNumber;
    const id = this.#options.environment.newId();
    const startDate = this.#iso(this.#now());
    const session = { id, number: { global, version }, startDate, finishDate: null, events: [] };
    this.#store.sessions.push({ ...session, acknowledged: 'no' });
    this.#store.openSessionId = id;
    this.#store.inBackgroundSince = null;
    this.#record(sessionStarted(type));
    this.#record(sdkInitialized());
  }

  #finishSession(at: number): void {
    const session = this.#openSession();
    if (!session) return;
    this.#record(sessionFinished(), at);
    session.finishDate = this.#iso(at);
    this.#store.openSessionId = null;
  }

  #record({ name, type, params }: NewEvent, at = this.#now()): void {
    const session = this.#openSession();
    if (!session) return this.#options.environment.warn(`${name} was not recorded: no session is open`);
    const timestamp = at / 1_000;
    const event = { id: this.#options.environment.newId(), name, type, timestamp, date: this.#iso(at), params };
    session.events.push(event);
    this.#store.lastEventAt = at;
    this.#options.observer.onEvent(session.id, event);
  }

  #openSession(): BufferedSession | undefined {
    const { sessions, openSessionId } = this.#store;
    return openSessionId === null ? undefined : sessions.find(({ id }) => id === openSessionId);
  }

  /** Whole Unix milliseconds by the corrected clock; not before 1970, which the wire does not take. */
  #now(): number {
    const now = this.#clock.now();
    return Math.max(0, Math.floor(this.#options.environment.eventTime?.(now) ?? now));
  }

  #iso(millis: number): string {
    return isoDate(millis, this.#options.environment.utcOffsetMinutes());
  }
}
