// The system events that this client emits, with their params as the spec lists them.
import { namedValues, type NamedValue, type Properties, type PropertyValue } from './wire.ts';

export interface NewEvent {
  name: string;
  type: 'custom' | 'system';
  params: NamedValue[];
}

/** An app must not track an event with one of these names. */
export const reservedNames = new Set([
  'SdkInitialized',
  'ConfigFetchStarted',
  'ConfigFetchFinished',
  'SessionStarted',
  'SessionFinished',
  'CampaignShown',
  'EventTriggered',
  'CustomPropertyChanged',
  'CampaignResolved',
]);

const longestString = 8_192;

export const sdkInitialized = (): NewEvent => system('SdkInitialized', {});

export const sessionStarted = (type: 'cold' | 'warm'): NewEvent => system('SessionStarted', { type });

export const sessionFinished = (): NewEvent => system('SessionFinished', {});

/** Mirrors one call of track(). The map travels as JSON text, and not at all when that text is too long for a value. */
export function eventTriggered(sourceEvent: string, properties: Properties): NewEvent {
  const text = JSON.stringify(properties);
  return system('EventTriggered', { sourceEvent, properties: [...text].length > longestString ? undefined : text });
}

/** `oldValue` is absent when newly set, `newValue` when removed. */
export function customPropertyChanged(change: {
  key: string;
  oldValue: PropertyValue | undefined;
  newValue: PropertyValue | undefined;
}): NewEvent {
  return system('CustomPropertyChanged', change);
}

function system(name: string, params: Record<string, PropertyValue | undefined>): NewEvent {
  return { name, type: 'system', params: namedValues(params) };
}
