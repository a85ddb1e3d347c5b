// Makes the row of an attribution report: it cuts payloads out of the body's text, so that every digit stays as sent.
import { createHash } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import type { EveryField } from '../platform/everyField.ts';
import { objectTexts } from '../platform/json/objectTexts.ts';

type Schemas = components['schemas'];
type Payloads = 'provider_a' | 'store_search_ads' | 'provider_b';
export type AttributionBody = EveryField<
  Schemas['AttributionReport'],
  Record<'device' | 'system' | 'attribution' | 'custom', true>
> & {
  device: EveryField<Schemas['DeviceReference'], Record<'id' | 'external_id', true>>;
  system: EveryField<Schemas['SystemInfo'], Record<'os_version', true>>;
  attribution: EveryField<Schemas['AttributionPayloads'], Record<Payloads, true>>;
};

/** Payloads are JSON text. A payload is null where the report does not use the provider. */
export interface AttributionRow {
  deviceKey: string;
  applicationId: string;
  deviceId: string;
  externalId: string | null;
  osVersion: string;
  providerA: string | null;
  storeSearchAds: string | null;
  providerB: string | null;
  custom: string | null;
  /** SHA-256 of all the fields above: an equal report of the same device has an equal hash. */
  bodyHash: Buffer;
}

const payloads = ['attribution.provider_a', 'attribution.store_search_ads', 'attribution.provider_b', 'custom'];

/** `text` is the JSON of `body`, which has passed the contract's schema. */
export function attributionRow(body: AttributionBody, text: string, applicationId: string): AttributionRow {
  const texts = objectTexts(text, payloads);
  const { provider_a: providerA, store_search_ads: storeSearchAds, provider_b: providerB } = body.attribution;
  const row = {
    deviceKey: deviceKey(applicationId, body.device.id),
    applicationId,
    deviceId: body.device.id,
    externalId: body.device.external_id ?? null,
    osVersion: body.system.os_version,
    providerA: isUsed(providerA) ? texts.get('attribution.provider_a')! : null,
    storeSearchAds: isUsed(storeSearchAds) ? texts.get('attribution.store_search_ads')! : null,
    providerB: isUsed(providerB) ? texts.get('attribution.provider_b')! : null,
    custom: isUsed(body.custom) ? texts.get('custom')! : null,
  };
  return { ...row, bodyHash: createHash('sha256').update(JSON.stringify(row)).digest() };
}

/** Columns, keys and the fixed part of the row, beside its texts. */
const fixedBytes = 300;

/** The bytes that the row adds to the table, as quotas count them (openapi.yaml, "Quotas"). */
export function attributionBytes(row: AttributionRow): number {
  const { deviceId, externalId, osVersion, providerA, storeSearchAds, providerB, custom } = row;
  const texts = [deviceId, externalId, osVersion, providerA, storeSearchAds, providerB, custom];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), fixedBytes);
}

/** Absent, null and `{}` all mean that the provider is not used. */
function isUsed(payload: object | null | undefined): boolean {
  return Object.keys(payload ?? {}).length > 0;
}
