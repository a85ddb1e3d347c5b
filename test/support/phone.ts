// A device that runs the reference SDK against a running service, in real time and over the real network.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Presented } from '../tools/demo/sdk/campaigns/presentation.ts';
import { newDeviceStore } from '../tools/demo/sdk/deviceStore.ts';
import type { SdkEnvironment } from '../tools/demo/sdk/environment.ts';
import { SdkClient } from '../tools/demo/sdk/sdkClient.ts';
import { recommendedSettings, type Credentials } from '../tools/demo/sdk/settings.ts';
import type { Properties } from '../tools/demo/sdk/wire.ts';

interface Phone {
  id: string;
  credentials: Credentials;
  /** What its user does with each action of the type `message`. */
  user: Presented;
}

/** Starts the app, tracks one event after the fetch of the campaigns, and ends the app. Everything is uploaded. */
export async function useApp({ id, credentials, user }: Phone, event: string, params: Properties): Promise<void> {
  const warnings: string[] = [];
  const client = new SdkClient(
    {
      credentials,
      settings: recommendedSettings,
      environment: environment(warnings),
      observer: {
        onEvent: () => undefined,
        onUpload: () => undefined,
        onAcknowledged: () => undefined,
        onAttribution: () => undefined,
        onTransactions: () => undefined,
      },
      presenters: { message: (_action, done) => done(user) },
    },
    newDeviceStore(id, properties),
  );
  client.launch();
  const fetched = await client.flush();
  await new Promise<void>((done) => client.track(event, params, done));
  client.close();
  const sent = await client.flush();
  if (fetched !== 'sent' || sent !== 'sent' || warnings.length > 0)
    throw new Error(`${id}: ${fetched}, ${sent}, ${warnings.join('; ')}`);
}

const properties = {
  sdkVersionNormalized: 5_002,
  osVersionNormalized: 18_001_000,
  appVersionNormalized: 2_014_003,
  appInstallVersionNormalized: 2_014_003,
  platform: 'iOS' as const,
  deviceModel: 'Phone 15',
  vendorIdentifier: 'vendor',
  installDatetime: 1_760_000_000,
};

function environment(warnings: string[]): SdkEnvironment {
  return {
    now: () => Date.now(),
    uptime: () => performance.now(),
    utcOffsetMinutes: () => 0,
    random: () => Math.random(),
    randomBytes: (size) => randomBytes(size),
    newId: () => randomUUID(),
    osVersion: () => '18.1',
    fetch: (url, init) => fetch(url, init),
    sleep: async (millis) => void (await pause(millis)),
    after: (millis, work) => {
      const timer = setTimeout(work, millis);
      return () => clearTimeout(timer);
    },
    warn: (message) => void warnings.push(message),
  };
}
