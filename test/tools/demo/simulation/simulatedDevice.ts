// One simulated device: a simulated clock, network and storage around the real SDK client.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';
import type { SentLog } from '../answers/sentLog.ts';
import { newDeviceStore, unsentSessions, type DeviceStore } from '../sdk/deviceStore.ts';
import type { SdkEnvironment } from '../sdk/environment.ts';
import type { FlushResult } from '../sdk/outbox.ts';
import { SdkClient, type SdkOptions } from '../sdk/sdkClient.ts';
import type { Credentials } from '../sdk/settings.ts';
import type { SessionEvent } from '../sdk/wire.ts';
import { damage } from './badEvents.ts';
import { ledgerObserver, newLedger, noteBad, type Ledger } from './ledger.ts';
import type { MidRunPause } from './midRunPause.ts';
import { PauseWatch } from './pauseWatch.ts';
import { personaOf, type Persona } from './persona.ts';
import { appPresenters } from './presenters.ts';
import { randomSource, type RandomSource } from './randomSource.ts';
import type { Shop } from './shop.ts';
import { SimulatedTime } from './simulatedTime.ts';
import type { Tally } from './tally.ts';
import { UnreliableNetwork } from './unreliableNetwork.ts';

export interface World {
  credentials: Credentials;
  seed: number;
  days: number;
  /** Part of every device id, so that two runs on one database have no device in common. */
  runId: string;
  /** The real time at the start, in Unix milliseconds. Simulated time ends here. */
  startedAt: number;
  tally: Tally;
  /** What all devices sent. */
  log: SentLog;
  shop: Shop;
  pause: MidRunPause;
}

export class SimulatedDevice {
  readonly ledger: Ledger;
  readonly network: UnreliableNetwork;
  readonly persona: Persona;
  readonly time: SimulatedTime;
  /** The error of the device's own clock against real time. */
  clockErrorMillis: number;
  client: SdkClient;
  readonly #world: World;
  readonly #watch: PauseWatch;
  /** Separate from the random numbers of life.ts, because real time decides how often these are used. */
  readonly #random: Record<'network' | 'presenters' | 'shop', RandomSource>;
  #store: DeviceStore;
  #lastNonce: Uint8Array | null = null;

  constructor(index: number, world: World) {
    this.#world = world;
    const random = (part: string): RandomSource => randomSource(world.seed, `device ${index} ${part}`);
    this.#random = { network: random('network'), presenters: random('presenters'), shop: random('shop') };
    this.persona = personaOf(index, random('persona'), world.startedAt);
    this.clockErrorMillis = this.persona.clockErrorMillis;
    this.time = new SimulatedTime(world.startedAt - world.days * 86_400_000);
    this.ledger = newLedger(`demo-${world.runId}-${String(index).padStart(4, '0')}`);
    this.#watch = new PauseWatch(world.pause, this.ledger.pause);
    const onProblem = (problem: string): void => void this.ledger.problems.push(problem);
    this.network = new UnreliableNetwork({
      random: this.#random.network,
      tally: world.tally,
      log: world.log,
      onProblem,
    });
    this.#store = newDeviceStore(this.ledger.deviceId, this.persona.properties);
    this.client = this.#newClient();
  }

  advance(seconds: number): void {
    this.time.advance(seconds * 1_000);
  }

  /** Starts a new process of the app on the data that the last process left on the device. */
  launch(): void {
    this.client = this.#newClient();
    this.client.launch();
  }

  /** Call it after close() for an orderly end; without close() the process was killed. */
  endProcess(): void {
    this.time.stopTimers();
  }

  updateApp(): void {
    this.#store.deviceProperties = {
      ...this.#store.deviceProperties,
      appVersionNormalized: this.#store.deviceProperties.appVersionNormalized + 1_000,
    };
  }

  /** The app calls it at every start. An installation reports once. */
  reportAttribution(): void {
    this.ledger.attribution = this.persona.attribution;
    this.client.reportAttribution(this.persona.attribution.payloads, this.persona.attribution.custom);
  }

  buy(): void {
    const { deviceId } = this.ledger;
    const buyer = { deviceId, random: this.#random.shop, at: new Date(this.time.now) };
    this.client.reportTransaction(this.#world.shop.sell(buyer));
  }

  /** The person restores purchases, and the app reports all of them again. */
  restorePurchases(): void {
    const sales = this.#world.shop.salesTo(this.ledger.deviceId);
    for (const { transactionId } of sales) this.client.reportTransaction(transactionId);
  }

  /** The device's storage damages the custom event that was recorded last, when it still waits there. */
  damageLastEvent(random: RandomSource): void {
    const { sessions, openSessionId } = this.#store;
    const events = sessions.find(({ id }) => id === openSessionId)?.events ?? [];
    const event = events.findLast(({ id, type }) => type === 'custom' && !this.ledger.badEventIds.has(id));
    if (!event) return;
    damage(event, random);
    noteBad(this.ledger, openSessionId!, event.id);
  }

  /** Flushes while the app runs. */
  async flush(): Promise<void> {
    await this.#world.pause.pass();
    const begunAt = performance.now();
    const sentNews = unsentSessions(this.#store).length > 0;
    const result = await this.client.flush();
    if (result === 'sent' && sentNews) this.#watch.noteFlush(begunAt);
  }

  /** The app dies between the server's 2xx and the write on the device, so the next flush sends everything again. */
  async flushAndForget(): Promise<void> {
    this.endProcess();
    const before = structuredClone(this.#store);
    await this.#newClient().flush();
    this.#store = { ...before, sentTimestamps: this.#store.sentTimestamps };
  }

  /** Sends at the end of the run until nothing is left. */
  async drain(): Promise<void> {
    this.network.online = true;
    this.client = this.#newClient();
    for (let result: FlushResult = 'unreachable'; result !== 'sent' || unsentSessions(this.#store).length > 0;) {
      result = await this.client.flush();
      if (result === 'refused' || result === 'held') return;
      if (result === 'unreachable' || result === 'postponed') await this.#sleep(1_000);
    }
    this.ledger.userProperties = this.#store.user.properties;
    this.ledger.keptEventIds = new Set(this.#store.takenOut.map(({ value }) => (value as SessionEvent).id));
  }

  #newClient(): SdkClient {
    const { tally, credentials } = this.#world;
    const after = (millis: number, work: () => void): (() => void) => this.time.after(millis, work);
    const appVersion = this.#store.deviceProperties.appVersionNormalized;
    const options: SdkOptions = {
      credentials,
      settings: this.persona.settings,
      environment: this.#environment(),
      observer: ledgerObserver(this.ledger, { tally, watch: this.#watch }),
      presenters: appPresenters({ random: this.#random.presenters, after, appVersion }),
      orderBatches: (batches) => this.#random.network.shuffle(batches),
    };
    return new SdkClient(options, this.#store);
  }

  #environment(): SdkEnvironment {
    return {
      now: () => Date.now() + this.clockErrorMillis,
      // A wait takes either real or simulated time. Both count.
      uptime: () => performance.now() + this.time.now,
      eventTime: (correctedNow) => correctedNow - (Date.now() - this.time.now),
      utcOffsetMinutes: () => this.persona.utcOffsetMinutes,
      random: () => this.#random.network.next(),
      randomBytes: (size) => this.#nonce(size),
      newId: () => randomUUID(),
      fetch: (url, init) => this.network.fetch(url, init),
      sleep: (millis) => this.#sleep(millis),
      after: (millis, work) => this.time.after(millis, work),
      osVersion: () => this.persona.osVersion,
      warn: (message) => void this.ledger.problems.push(message),
    };
  }

  /** One nonce in a hundred repeats the nonce of the upload before, like a bad random source. */
  #nonce(size: number): Uint8Array {
    if (!this.#lastNonce || !this.#random.network.chance(0.01)) this.#lastNonce = randomBytes(size);
    return this.#lastNonce;
  }

  /** A wait for the service takes real time. A wait for the simulated network takes simulated time. */
  async #sleep(millis: number): Promise<void> {
    if (this.network.lastFailure !== 'real') return this.advance(millis / 1_000);
    this.#world.tally.checkPatience();
    await realSleep(millis);
  }
}
