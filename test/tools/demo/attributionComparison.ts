// Compares the attribution of each device in the admin API with the report of the device.
import { isDeepStrictEqual } from 'node:util';
import type { ShownDevice } from './adminReads.ts';
import type { Ledger } from './simulation/ledger.ts';
import type { AttributionData } from './simulation/persona.ts';

export interface AttributionComparison {
  reported: number;
  acknowledged: number;
  /** The devices whose attribution reads as they reported it. */
  asReported: number;
  problems: string[];
}

export function compareAttribution(ledgers: Ledger[], devices: Map<string, ShownDevice | null>): AttributionComparison {
  const reported = ledgers.filter(({ attribution }) => attribution !== null);
  const wrong = reported.filter(
    ({ deviceId, attribution }) => !isDeepStrictEqual(devices.get(deviceId)?.attribution, latestOf(attribution!)),
  );
  const unacknowledged = reported.filter(({ attributionAcknowledged }) => !attributionAcknowledged);
  return {
    reported: reported.length,
    acknowledged: reported.length - unacknowledged.length,
    asReported: reported.length - wrong.length,
    problems: [
      ...wrong.map(({ deviceId }) => `${deviceId}: its attribution is not shown as it was reported`),
      ...unacknowledged.map(({ deviceId }) => `${deviceId}: its attribution was not acknowledged`),
    ],
  };
}

/** In the order of `Attribution.provider` in schema.graphql. A provider without data is not listed. */
function latestOf({ payloads, custom }: AttributionData): ShownDevice['attribution'] {
  const { provider_a, store_search_ads, provider_b } = payloads;
  return Object.entries({ provider_a, store_search_ads, provider_b, custom })
    .filter(([, payload]) => payload && Object.keys(payload).length > 0)
    .map(([provider, payload]) => ({ provider, payload }));
}
