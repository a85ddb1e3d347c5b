// Plays the reference SDK against the scripted server, in simulated time: an example of what a harness does.
import { setTimeout as pause } from 'node:timers/promises';
import { newDeviceStore } from '../../demo/sdk/deviceStore.ts';
import { SdkClient } from '../../demo/sdk/sdkClient.ts';
import type { SdkEnvironment } from '../../demo/sdk/environment.ts';
import { recommendedSettings } from '../../demo/sdk/settings.ts';
import { SimulatedTime } from '../../demo/simulation/simulatedTime.ts';
import { trackedEvent } from '../configuration.ts';
import type { ScenePosition } from '../scenePlayer.ts';
import type { Action } from '../scenes.ts';

export interface ReferenceRun {
  baseUrl: string;
  key: { public: string; secret: string };
  time: SimulatedTime;
  /** A wrapper that puts a fault around the SDK. */
  wrap(environment: SdkEnvironment): SdkEnvironment;
}

/** In real milliseconds: the scripted server's slow response comes later. */
export const requestTimeoutMillis = 1_000;

/** Shorter than the wait after the fifth failure, so that a flush begins during the wait. */
const roundMillis = 3_000;
const mostRounds = 150;
/** A faulty SDK may not get through a scene. */
const mostRoundsOfAScene = 25;

export async function playReference(run: ReferenceRun): Promise<void> {
  const app = new JudgedApp(run);
  await app.start();
  let [last, rounds] = ['', 0];
  for (let round = 0; round < mostRounds && rounds < mostRoundsOfAScene; round += 1) {
    const response = await fetch(`${run.baseUrl}/judge`);
    const { scene, action, done } = (await response.json()) as ScenePosition;
    if (done) return;
    [last, rounds] = [scene, scene === last ? rounds + 1 : 0];
    await app.perform(action, round);
    run.time.advance(roundMillis);
    await app.client.flush();
  }
}

class JudgedApp {
  client: SdkClient;
  readonly #run: ReferenceRun;
  readonly #store = newDeviceStore('judged-1', deviceProperties);
  readonly #environment: SdkEnvironment;

  constructor(run: ReferenceRun) {
    this.#run = run;
    this.#environment = run.wrap(environmentOf(run.time));
    this.client = this.#newClient();
  }

  /** The first events are recorded before the first response. */
  async start(): Promise<void> {
    this.client = this.#newClient();
    this.client.launch();
    this.#record(-1);
    this.#run.time.advance(100);
    await this.client.fetchConfiguration();
  }

  async perform(action: Action, round: number): Promise<void> {
    const { client } = this;
    if (action === 'set-property') client.setCustomProperty('plan', 'free');
    if (action === 'change-property') client.setCustomProperty('plan', `plan ${round}`);
    if (action === 'set-again') {
      client.removeCustomProperty('plan');
      client.setCustomProperty('plan', `again ${round}`);
    }
    if (action === 'change-user') client.setUserId('user-1');
    if (action === 'attribution') client.reportAttribution({ provider_a: { campaign: 'spring' } });
    if (action === 'transactions') for (const half of ['a', 'b']) client.reportTransaction(`t-${round}-${half}`);
    this.#record(round);
    if (action === 'kill') await this.start();
    if (action === 'relaunch') await this.#relaunch();
  }

  /** The flush before the end shows whether the SDK sends anything. */
  async #relaunch(): Promise<void> {
    await this.client.flush();
    this.client.close();
    this.#run.time.advance(roundMillis);
    await this.start();
  }

  #record(round: number): void {
    for (const index of [1, 2, 3]) {
      this.client.track(trackedEvent, { round, index });
      this.#run.time.advance(250);
    }
  }

  #newClient(): SdkClient {
    const { baseUrl, key } = this.#run;
    const options = {
      credentials: { baseUrl, publicKey: key.public, secretKey: key.secret },
      settings: { ...recommendedSettings, requestTimeoutMillis },
      environment: this.#environment,
      observer: silent,
      presenters: {},
    };
    return new SdkClient(options, this.#store);
  }
}

const nothing = (): void => undefined;
const silent = {
  ...{ onEvent: nothing, onUpload: nothing, onAcknowledged: nothing },
  ...{ onAttribution: nothing, onTransactions: nothing },
};

const deviceProperties = {
  sdkVersionNormalized: 5_002,
  osVersionNormalized: 18_001_000,
  appVersionNormalized: 2_014_003,
  appInstallVersionNormalized: 2_014_003,
  platform: 'iOS' as const,
  deviceModel: 'Phone 15',
  vendorIdentifier: 'vendor',
  installDatetime: 1_789_000_000,
  country: 'DE',
};

/** Without randomness, so that every run is the same; the shortest waits are the strictest. */
function environmentOf(time: SimulatedTime): SdkEnvironment {
  const counters = { id: 0, nonce: 0 };
  const environment = {
    now: () => time.now,
    uptime: () => time.now,
    utcOffsetMinutes: () => 60,
    random: () => 0,
    randomBytes: (size: number) => {
      const bytes = Buffer.alloc(size, 7);
      bytes.writeUInt32BE((counters.nonce += 1));
      return bytes;
    },
    newId: () => `id-${(counters.id += 1)}`,
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    sleep: async (millis: number) => {
      // The server notices the end of a connection before the time goes on.
      await pause(20);
      time.advance(millis);
    },
    after: (millis: number, work: () => void) => time.after(millis, work),
    osVersion: () => '18.1',
    warn: nothing,
  };
  return environment;
}
