// Repeatable uploads as SDKs send them: UUIDs, three parameters for each event, a few user properties.
import type { components } from '../../../generated/openapi.ts';
import { randomSource, type RandomSource } from '../../../src/demo/simulation/randomSource.ts';
import type { Shape } from './shapes.ts';

type Schemas = components['schemas'];
export type SessionReport = Schemas['SessionReport'];

/** Each device comes again after so many uploads, so that most uploads are of known devices and no two meet in one batch. */
const deviceCount = 10_000;

export interface UploadSource {
  next(): SessionReport;
  /** 22 characters for X-Nonce. */
  nonce(): string;
}

export interface UploadSeries {
  seed: number;
  name: string;
  devices?: number;
}

/** The same seed and name give the same ids and values; different names never give the same ids. */
export function uploadSource(shape: Shape, { seed, name, devices = deviceCount }: UploadSeries): UploadSource {
  const random = randomSource(seed, name);
  const bytes = byteSource(random);
  let uploads = 0;
  return {
    next() {
      const device = uploads++ % devices;
      const startedAt = Math.floor(Date.now() / 1_000) - random.between(60, 3_600);
      const sessions = Array.from({ length: shape.sessions }, () => aSession(shape, { random, bytes, startedAt }));
      return { user: aUser(device, random), device: aDevice(device), sessions };
    },
    nonce: () => bytes(16).toString('base64url'),
  };
}

function byteSource(random: RandomSource): (count: number) => Buffer {
  return (count) => {
    const bytes = Buffer.allocUnsafe(count);
    for (let at = 0; at < count; at += 4) bytes.writeUInt32LE(Math.floor(random.next() * 4_294_967_296), at);
    return bytes;
  };
}

interface Chance {
  random: RandomSource;
  bytes: (count: number) => Buffer;
  startedAt: number;
}

function uuid(bytes: Chance['bytes']): string {
  const hex = bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function aSession(shape: Shape, chance: Chance): Schemas['Session'] {
  const { random, bytes, startedAt } = chance;
  return {
    id: uuid(bytes),
    number: { global: random.between(1, 200), version: random.between(1, 20) },
    startDate: iso(startedAt),
    finishDate: iso(startedAt + 600),
    events: Array.from({ length: shape.eventsPerSession }, (_, index) => anEvent(index, chance)),
  };
}

const names = ['LevelStarted', 'LevelCompleted', 'ItemViewed', 'CheckoutOpened', 'ScreenShown'] as const;
const screens = ['home', 'shop', 'profile', 'settings', 'inventory'] as const;

function anEvent(index: number, { random, bytes, startedAt }: Chance): Schemas['SessionEvent'] {
  const timestamp = startedAt + index * 7 + random.between(0, 999) / 1_000;
  return {
    id: uuid(bytes),
    name: random.pick(names),
    type: 'custom',
    timestamp,
    date: iso(timestamp),
    params: [
      { name: 'screen', value: random.pick(screens) },
      { name: 'level', value: random.between(1, 500) },
      { name: 'first_time', value: random.chance(0.2) },
    ],
  };
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function aUser(device: number, random: RandomSource): SessionReport['user'] {
  return {
    id: `user-${device}`,
    lastSyncTS: null,
    properties: [
      { name: 'plan', value: random.pick(['free', 'plus', 'family']) },
      { name: 'coins', value: random.between(0, 10_000) },
      { name: 'notifications', value: random.chance(0.5) },
    ],
  };
}

function deviceId(device: number): string {
  return `5be2ed00-0000-4000-a000-${String(device).padStart(12, '0')}`;
}

function aDevice(device: number): SessionReport['device'] {
  return {
    id: deviceId(device),
    properties: {
      sdkVersionNormalized: 5_002,
      osVersionNormalized: 18_001_000,
      appVersionNormalized: 2_014_003,
      appInstallVersionNormalized: 2_000_000,
      platform: device % 2 === 0 ? 'iOS' : 'Android',
      deviceModel: `Phone ${device % 15}`,
      vendorIdentifier: `vendor-${device}`,
      installDatetime: 1_760_000_000,
      country: 'DE',
    },
  };
}
