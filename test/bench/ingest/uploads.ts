// Builds repeatable uploads in the form of SDKs: UUIDs, three parameters per event, a few user properties.
import { createCipheriv, createHash } from 'node:crypto';
import type { components } from '../../../generated/openapi.ts';
import { randomSource, type RandomSource } from '../../tools/demo/simulation/randomSource.ts';
import type { Shape } from './shapes.ts';

type Schemas = components['schemas'];
export type SessionReport = Schemas['SessionReport'];

/**
 * Each device sends again after this many uploads, so that most devices are known and no device appears twice in a
 * batch.
 */
const deviceCount = 10_000;
/** The same for shapes whose sessions take several uploads: the session must continue within the seconds of a phase. */
const returningDeviceCount = 1_000;

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
export function uploadSource(shape: Shape, { seed, name, devices }: UploadSeries): UploadSource {
  const random = randomSource(seed, name);
  const bytes = byteSource(seed, name);
  const chance = { random, bytes };
  const deviceRound = devices ?? (shape.flushes > 1 ? returningDeviceCount : deviceCount);
  const open = new Map<number, OpenSession[]>();
  let uploads = 0;
  return {
    next() {
      const flush = Math.floor(uploads / deviceRound) % shape.flushes;
      const device = uploads++ % deviceRound;
      const begun = open.get(device) ?? beginSessions(shape, chance);
      const last = flush === shape.flushes - 1;
      if (last) open.delete(device);
      else open.set(device, begun);
      const sessions = begun.map((session) => aSession(session, { shape, flush, last, chance }));
      return { user: aUser(device, flush, random), device: aDevice(device), sessions };
    },
    nonce: () => bytes(16).toString('base64url'),
  };
}

/**
 * Draws from a cipher, not from the random source, which has a single cycle of 2³² numbers. After some minutes two
 * phases drew the same part of the cycle, and uploads were refused for a nonce that another upload had used.
 */
function byteSource(seed: number, name: string): (count: number) => Buffer {
  const key = createHash('sha256').update(`${seed}:${name}`).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (count) => stream.update(Buffer.alloc(count));
}

interface Chance {
  random: RandomSource;
  bytes: (count: number) => Buffer;
}

function uuid(bytes: Chance['bytes']): string {
  const hex = bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

interface OpenSession extends Pick<Schemas['Session'], 'id' | 'number'> {
  /** Unix seconds. */
  startedAt: number;
}

function beginSessions(shape: Shape, { random, bytes }: Chance): OpenSession[] {
  const startedAt = Math.floor(Date.now() / 1_000) - random.between(60, 3_600);
  return Array.from({ length: shape.sessions }, () => ({
    id: uuid(bytes),
    number: { global: random.between(1, 200), version: random.between(1, 20) },
    startedAt,
  }));
}

interface Flush {
  shape: Shape;
  /** The upload's place in its session, from 0. */
  flush: number;
  last: boolean;
  chance: Chance;
}

/** A session is open until its last upload. */
function aSession(
  { id, number, startedAt }: OpenSession,
  { shape: { eventsPerSession }, flush, last, chance }: Flush,
): Schemas['Session'] {
  return {
    id,
    number,
    startDate: iso(startedAt),
    finishDate: last ? iso(startedAt + 600) : null,
    events: Array.from({ length: eventsPerSession }, (_, index) =>
      anEvent(startedAt + (flush * eventsPerSession + index) * 7, chance),
    ),
  };
}

const names = ['LevelStarted', 'LevelCompleted', 'ItemViewed', 'CheckoutOpened', 'ScreenShown'] as const;
const screens = ['home', 'shop', 'profile', 'settings', 'inventory'] as const;

function anEvent(second: number, { random, bytes }: Chance): Schemas['SessionEvent'] {
  const timestamp = second + random.between(0, 999) / 1_000;
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

/** The first upload of a session contains all properties, each later one a delta of one property. */
function aUser(device: number, flush: number, random: RandomSource): SessionReport['user'] {
  const id = `user-${device}`;
  const coins = { name: 'coins', value: random.between(0, 10_000) };
  if (flush > 0) return { id, lastSyncTS: Math.floor(Date.now() / 1_000), properties: [coins] };
  const plan = { name: 'plan', value: random.pick(['free', 'plus', 'family']) };
  return { id, lastSyncTS: null, properties: [plan, coins, { name: 'notifications', value: random.chance(0.5) }] };
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
