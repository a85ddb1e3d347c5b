// The wire's records under short names, all read off the contract's generated types.
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

/** A property that is undefined is absent on the wire. */
export function namedValues(properties: Record<string, PropertyValue | undefined>): NamedValue[] {
  return Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
