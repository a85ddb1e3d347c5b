// The properties of one simulated device: its hardware, its clock and its settings.
// The device's number decides its clock error and whether it is a marathon, so that every larger run has them all.
import { recommendedSettings, type SdkSettings } from '../sdk/settings.ts';
import type { AttributionPayloads, DeviceProperties } from '../sdk/wire.ts';
import type { RandomSource } from './randomSource.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** The errors of the devices' clocks in milliseconds. Every fourth device has the right time. */
const clockErrors = [
  () => 0,
  () => 4 * minute,
  () => -4 * minute,
  () => -day,
  () => 0,
  () => 6 * minute,
  () => -6 * minute,
  () => 3_653 * day,
  () => 0,
  () => 40_000,
  // The battery was empty, and the clock started again in 1970.
  (now: number) => 5 * minute - now,
  () => 2 * day,
] as const;

/** The payloads of the attribution providers. A provider without data has null or `{}`, or is left out. */
export interface AttributionData {
  payloads: AttributionPayloads;
  custom: Record<string, unknown> | null;
}

export interface Persona {
  properties: DeviceProperties;
  /** The version as the system writes it. */
  osVersion: string;
  attribution: AttributionData;
  clockErrorMillis: number;
  utcOffsetMinutes: number;
  settings: SdkSettings;
  /** Tracks thousands of events in one session and sends them in one upload. The service responds 413. */
  marathon: boolean;
}

export function personaOf(index: number, random: RandomSource, now: number): Persona {
  const marathon = index % 100 === 7;
  const appVersion = random.pick([2_013_000, 2_014_000, 2_014_003]);
  const osVersion = random.pick([17_005_001, 18_000_000, 18_001_000]);
  return {
    properties: {
      sdkVersionNormalized: 5_002,
      osVersionNormalized: osVersion,
      appVersionNormalized: appVersion,
      appInstallVersionNormalized: Math.min(appVersion, 2_013_000),
      platform: random.pick(['iOS', 'Android']),
      deviceModel: random.pick(['Phone 14', 'Phone 15', 'Tablet 9']),
      vendorIdentifier: `vendor-${index}`,
      installDatetime: Math.floor(now / 1_000) - 86_400 * random.between(3, 400),
      adId: random.chance(0.3) ? `ad-${index}` : null,
      country: random.pick(['DE', 'FR', 'JP', 'BR', null]),
    },
    osVersion: [osVersion / 1e6, (osVersion / 1e3) % 1e3, osVersion % 1e3].map(Math.floor).join('.'),
    attribution: attributionOf(index, random),
    clockErrorMillis: clockErrors[index % clockErrors.length]!(now),
    utcOffsetMinutes: random.pick([0, 60, 120, 345, 540, -180, -570]),
    marathon,
    settings: {
      ...recommendedSettings,
      // Shorter waits than on a phone, so that the run notices within seconds that the service is back.
      retry: { firstMillis: 250, longestMillis: 3_000, attempts: 5 },
      requestTimeoutMillis: 10_000,
      eventsPerUpload: marathon ? 10_000 : random.pick([8, 40, 1_000]),
      sessionsPerUpload: random.pick([1, 3, 100]),
    },
  };
}

function attributionOf(index: number, random: RandomSource): AttributionData {
  const ad = {
    orgId: 1_200_345,
    campaignId: random.between(1, 9),
    conversionType: 'Download',
    clickDate: '2026-09-09',
  };
  const payloads = random.pick<AttributionPayloads>([
    { provider_a: { network: 'organic' }, provider_b: null },
    { provider_a: { network: 'banner', click: { id: `click-${index}`, cost: 0.35 } }, store_search_ads: {} },
    { store_search_ads: ad },
    { provider_b: { touch_points: ['banner', 'link'], attributed: true }, store_search_ads: ad },
  ]);
  return { payloads, custom: random.chance(0.3) ? { source: 'settings-screen', tags: ['beta', index] } : null };
}
