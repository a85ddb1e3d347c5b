// Short names for the records on the wire, whose types are generated from openapi.yaml.
import type { components } from '../../../../generated/openapi.ts';

type Schemas = components['schemas'];

export type SessionReport = Schemas['SessionReport'];
export type Session = Schemas['Session'];
export type SessionEvent = Schemas['SessionEvent'];
export type User = Schemas['User'];
export type DeviceProperties = Schemas['DeviceProperties'];
export type NamedValue = Schemas['NamedValue'];
export type PropertyValue = Schemas['PropertyValue'];
export type AttributionReport = Schemas['AttributionReport'];
export type AttributionPayloads = Schemas['AttributionPayloads'];
export type StoreTransactionReport = Schemas['StoreTransactionReport'];
export type CampaignConfig = Schemas['CampaignConfig'];
export type Campaign = Schemas['Campaign'];
export type NotAuthenticated = Schemas['RequestNotAuthenticatedError'];

export type Properties = Record<string, PropertyValue>;

/** An undefined property is left out, because the server refuses null: openapi.yaml, "Values". */
export function namedValues(properties: Record<string, PropertyValue | undefined>): NamedValue[] {
  return Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
