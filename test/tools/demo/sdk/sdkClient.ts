// The reference SDK client: what an app calls. Every call records on the device; flush() sends and fetches.
import { CampaignRunner, type Continuation, type Presenters } from './campaigns/campaignRunner.ts';
import { Configuration } from './campaigns/configuration.ts';
import { DeviceClock } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import { Exchange } from './exchange.ts';
import { problemOfEvent, problemOfProperty, problemOfTransactionId } from './inputRules.ts';
import { Outbox, type FlushResult } from './outbox.ts';
import { Reports } from './reports.ts';
import { SessionRecorder } from './sessionRecorder.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import { customPropertyChanged, eventTriggered, type NewEvent } from './systemEvents.ts';
import { Uploader, type UploadStep } from './uploader.ts';
import {
  namedValues,
  type AttributionPayloads,
  type Properties,
  type PropertyValue,
  type Session,
  type SessionEvent,
} from './wire.ts';

export interface SdkObserver {
  onEvent(sessionId: string, event: SessionEvent): void;
  onUpload(step: UploadStep | 'halved'): void;
  /** The server has stored what these calls name. */
  onAcknowledged(batch: Session[]): void;
  onAttribution(): void;
  onTransactions(ids: string[]): void;
}

export interface SdkOptions {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  observer: SdkObserver;
  /** By `action.type`. */
  presenters: Presenters;
  /** Leave it out: the simulation shuffles here. */
  orderBatches?(batches: Session[][]): Session[][];
}

/** One per process of the app. `store` outlives it. */
export class SdkClient {
  readonly #options: SdkOptions;
  readonly #store: DeviceStore;
  readonly #recorder: SessionRecorder;
  readonly #campaigns: CampaignRunner;
  readonly #configuration: Configuration;
  readonly #outbox: Outbox;
  readonly #reports: Reports;
  /** From launch() to close(): only then there is somebody to show a campaign to. */
  #running = false;
  #underWay: Promise<FlushResult> | null = null;

  constructor(options: SdkOptions, store: DeviceStore) {
    const { credentials, settings, environment, observer, presenters, orderBatches } = options;
    this.#options = options;
    this.#store = store;
    const clock = new DeviceClock(environment, store);
    const exchange = new Exchange({ credentials, settings, environment, clock, store });
    const onStep = (step: UploadStep): void => observer.onUpload(step);
    this.#recorder = new SessionRecorder({
      ...{ store, clock, environment },
      onRecorded: (sessionId, event, continuation) => {
        observer.onEvent(sessionId, event);
        return this.#campaigns.handle(event, sessionId, continuation);
      },
    });
    const now = (): number => this.#recorder.now();
    const record = (event: NewEvent): void => void this.#recorder.record(event);
    const request = { exchange, credentials, settings, environment, onStep };
    this.#campaigns = new CampaignRunner({ store, settings, environment, presenters, now, record });
    this.#configuration = new Configuration({ store, request, now, record });
    const uploader = new Uploader({ credentials, settings, environment, exchange, clock, store, onStep });
    this.#outbox = new Outbox({ store, uploader, settings, environment, observer, orderBatches });
    this.#reports = new Reports({ store, request, observer });
  }

  /** The app's process has started. A session that the last process left open ended with its last event. */
  launch(): void {
    this.#running = true;
    this.#recorder.finish(this.#store.inBackgroundSince ?? this.#store.lastEventAt);
    this.#startSession('cold');
  }

  enterBackground(): void {
    this.#store.inBackgroundSince = this.#recorder.now();
  }

  /**
   * Within the session timeout the session goes on; after it, the session ended when the app was left. On a phone measure
   * this with the monotonic clock: the corrected one may jump meanwhile.
   */
  enterForeground(): void {
    const since = this.#store.inBackgroundSince;
    this.#store.inBackgroundSince = null;
    if (since === null || this.#recorder.now() - since <= this.#options.settings.sessionTimeoutMillis) return;
    this.#recorder.finish(since);
    this.#startSession('warm');
  }

  /** An orderly end of the process. */
  close(): void {
    this.#campaigns.stop();
    this.#recorder.finish(this.#store.inBackgroundSince ?? this.#recorder.now());
    this.#running = false;
  }

  /** `whenDone` is called when a blocking action that this event set off is over, and at once when there is none. */
  track(name: string, properties: Properties = {}, whenDone: Continuation | null = null): void {
    const problem = problemOfEvent(name, properties);
    if (problem) return this.#options.environment.warn(`not tracked: ${problem}`);
    const custom: NewEvent = { name, type: 'custom', params: namedValues(properties) };
    const taken = this.#recorder.record(custom, { continuation: whenDone });
    const mirror = eventTriggered(name, properties);
    const takenByMirror = this.#recorder.record(mirror, { continuation: taken ? null : whenDone });
    if (!taken && !takenByMirror) whenDone?.();
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
    this.#recorder.record(customPropertyChanged({ key, oldValue, newValue }));
  }

  removeCustomProperty(key: string): void {
    const { properties, changed } = this.#store.user;
    const oldValue = properties.get(key);
    if (!properties.delete(key)) return;
    changed.delete(key);
    this.#recorder.record(customPropertyChanged({ key, oldValue, newValue: undefined }));
  }

  clearCustomProperties(): void {
    for (const key of [...this.#store.user.properties.keys()]) this.removeCustomProperty(key);
  }

  /** May be called at every start: an installation reports once. */
  reportAttribution(attribution: AttributionPayloads, custom: Record<string, unknown> | null = null): void {
    this.#reports.attribute(attribution, custom);
  }

  /** For each purchase and each restored one. */
  reportTransaction(id: string): void {
    const problem = problemOfTransactionId(id);
    if (problem) return this.#options.environment.warn(`not reported: ${problem}`);
    this.#reports.addTransaction(id);
  }

  /** Call it right after launch() and enterForeground(): a session begins with a fetch. flush() does it too. */
  async fetchConfiguration(): Promise<FlushResult> {
    return this.#running ? this.#configuration.fetchWhenDue() : 'sent';
  }

  /**
   * Sends everything that waits, then fetches the configuration when the server has another one. Call it on a schedule
   * (once a minute, say), when the app goes to the background and at its start, not once per event. Calls that overlap
   * share one flush.
   */
  flush(): Promise<FlushResult> {
    this.#underWay ??= this.#sendAll().finally(() => (this.#underWay = null));
    return this.#underWay;
  }

  async #sendAll(): Promise<FlushResult> {
    const steps = [() => this.#outbox.sendAll(), () => this.#reports.sendAll(), () => this.fetchConfiguration()];
    for (const step of steps) {
      const result = await step();
      if (result !== 'sent') return result;
    }
    return 'sent';
  }

  #startSession(type: 'cold' | 'warm'): void {
    this.#configuration.noteSessionStart();
    this.#recorder.start(type);
  }
}
