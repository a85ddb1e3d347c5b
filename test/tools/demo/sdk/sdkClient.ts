// The functions that an app calls: each call records on the device, and flush() sends and fetches.
// It begins and ends sessions by openapi.yaml, reportSessions, "Session lifecycle", with openapi.yaml, "Recommended settings".
import { Backoff } from './backoff.ts';
import { CampaignRunner, type Continuation, type Presenters } from './campaigns/campaignRunner.ts';
import { Configuration } from './campaigns/configuration.ts';
import { DeviceClock } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import { Exchange } from './exchange.ts';
import {
  problemOfAttribution,
  problemOfEvent,
  problemOfProperty,
  problemOfTransactionId,
  problemOfUserId,
} from './inputRules.ts';
import { Outbox, type FlushResult } from './outbox.ts';
import { Reports } from './reports.ts';
import { SessionRecorder } from './sessionRecorder.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import { customPropertyChanged, eventTriggered, type NewEvent } from './systemEvents.ts';
import { Uploader, type UploadStep } from './uploader.ts';
import { changeUser } from './userState.ts';
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
  onUpload(step: UploadStep | 'halved' | 'taken_out'): void;
  /** The server has stored the data that this call and the next two name. */
  onAcknowledged(batch: Session[]): void;
  onAttribution(): void;
  onTransactions(ids: string[]): void;
}

export interface SdkOptions {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  observer: SdkObserver;
  /** The presenters by `action.type`. */
  presenters: Presenters;
  /** Leave it out: only the simulation uses it, to shuffle batches. */
  orderBatches?(batches: Session[][]): Session[][];
}

/** One client for each process of the app. `store` outlives the process. */
export class SdkClient {
  readonly #options: SdkOptions;
  readonly #store: DeviceStore;
  readonly #recorder: SessionRecorder;
  readonly #campaigns: CampaignRunner;
  readonly #configuration: Configuration;
  readonly #outbox: Outbox;
  readonly #reports: Reports;
  readonly #backoff: Backoff;
  readonly #exchange: Exchange;
  /** True from launch() to close(). Nobody can see a campaign at other times, so no configuration is fetched then. */
  #running = false;
  #underWay: Promise<FlushResult> | null = null;

  constructor(options: SdkOptions, store: DeviceStore) {
    const { credentials, settings, environment, observer, presenters, orderBatches } = options;
    this.#options = options;
    this.#store = store;
    const clock = new DeviceClock(environment, store);
    const backoff = new Backoff({ policy: settings.retry, environment });
    this.#backoff = backoff;
    const exchange = new Exchange({ credentials, settings, environment, clock, store, backoff });
    this.#exchange = exchange;
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
    const request = { exchange, credentials, settings, environment, backoff, onStep };
    this.#campaigns = new CampaignRunner({ store, settings, environment, presenters, now, record });
    this.#configuration = new Configuration({ store, request, now, record });
    const uploader = new Uploader({ credentials, settings, environment, backoff, exchange, clock, store, onStep });
    this.#outbox = new Outbox({ store, uploader, settings, environment, observer, orderBatches });
    this.#reports = new Reports({ store, request, observer });
  }

  /** Call it when the app's process starts. A session that the last process left open ends at its last event. */
  launch(): void {
    this.#running = true;
    this.#recorder.finishLost();
    this.#recorder.start('cold');
  }

  enterBackground(): void {
    this.#store.inBackgroundSince = this.#recorder.now();
  }

  /**
   * Within the session timeout the session continues. After it, the session ended when the app went to the background,
   * and a new one starts. On a phone measure the time with the monotonic clock, because the corrected clock may jump.
   */
  enterForeground(): void {
    const since = this.#store.inBackgroundSince;
    this.#store.inBackgroundSince = null;
    if (since === null || this.#recorder.now() - since <= this.#options.settings.sessionTimeoutMillis) return;
    this.#recorder.finish(since);
    this.#recorder.start('warm');
  }

  /** Call it at an orderly end of the process. */
  close(): void {
    this.#campaigns.stop();
    this.#recorder.finish(this.#store.inBackgroundSince ?? this.#recorder.now());
    this.#running = false;
  }

  /** Calls `whenDone` at the end of the blocking action that this event activates, or at once without one. */
  track(name: string, properties: Properties = {}, whenDone: Continuation | null = null): void {
    const problem = problemOfEvent(name, properties);
    if (problem) return this.#options.environment.warn(`not tracked: ${problem}`);
    const custom: NewEvent = { name, type: 'custom', params: namedValues(properties) };
    const taken = this.#recorder.record(custom, { continuation: whenDone });
    const mirror = eventTriggered(name, properties);
    const takenByMirror = this.#recorder.record(mirror, { continuation: taken ? null : whenDone });
    if (!taken && !takenByMirror) whenDone?.();
  }

  /** An upload has one user, so the open session ends: openapi.yaml, reportSessions, "Change of user". */
  setUserId(id: string | null): void {
    const store = this.#store;
    if (id === store.user.id) return;
    const problem = id === null ? null : problemOfUserId(id);
    if (problem) return this.#options.environment.warn(`not set: ${problem}`);
    const [wasOpen, inBackground] = [store.openSessionId !== null, store.inBackgroundSince !== null];
    const now = this.#recorder.now();
    this.#recorder.finish(now);
    changeUser(store, id);
    if (wasOpen) this.#recorder.start('warm');
    if (inBackground) store.inBackgroundSince = now;
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

  /** The app may call it at every start. An installation reports once. */
  reportAttribution(attribution: AttributionPayloads, custom: Record<string, unknown> | null = null): void {
    const problem = problemOfAttribution(attribution, custom);
    if (problem) return this.#options.environment.warn(`not reported: ${problem}`);
    this.#reports.attribute(attribution, custom);
  }

  /** Call it for each purchase and for each restored purchase. */
  reportTransaction(id: string): void {
    const problem = problemOfTransactionId(id);
    if (problem) return this.#options.environment.warn(`not reported: ${problem}`);
    this.#reports.addTransaction(id);
  }

  /** Call it right after launch() and enterForeground(), because a session begins with a fetch. flush() fetches too. */
  async fetchConfiguration(): Promise<FlushResult> {
    const former = this.#configuration.formerFetch();
    if (former) await former;
    if (!this.#running) return 'sent';
    if (this.#exchange.refused) return 'refused';
    return this.#backoff.remainingMillis() > 0 ? 'unreachable' : this.#configuration.fetchWhenDue();
  }

  /**
   * Sends all waiting data, then fetches the configuration when a fetch is due. Call it once a minute, at the start of
   * the app and when the app goes to the background, not once per event. Overlapping calls share one flush. A call
   * during the wait after a failure sends nothing: openapi.yaml, "Backoff".
   */
  flush(): Promise<FlushResult> {
    this.#underWay ??= this.#sendAll().finally(() => (this.#underWay = null));
    return this.#underWay;
  }

  async #sendAll(): Promise<FlushResult> {
    if (this.#backoff.remainingMillis() > 0) return 'unreachable';
    let waits: FlushResult | null = null;
    const steps = [() => this.#outbox.sendAll(), () => this.#reports.sendAll(), () => this.fetchConfiguration()];
    for (const step of steps) {
      if (this.#exchange.refused) return 'refused';
      const result = await step();
      if (result === 'unreachable' || result === 'refused') return result;
      if (result !== 'sent') waits ??= result;
    }
    return waits ?? 'sent';
  }
}
