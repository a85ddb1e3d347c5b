// Makes the system events that the SDK records, with their params: openapi.yaml, reportSessions, "Events".
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

export const configFetchStarted = (): NewEvent => system('ConfigFetchStarted', {});

/** The list is sent as JSON text. It is left out when that text is too long for a value. */
export function configFetchFinished(success: boolean, active: { id: string; name: string }[]): NewEvent {
  const campaigns = shortJson(active.map(({ id, name }) => ({ id, name })));
  return system('ConfigFetchFinished', { campaignCount: active.length, success, campaigns });
}

export const sessionStarted = (type: 'cold' | 'warm'): NewEvent => system('SessionStarted', { type });

export const sessionFinished = (): NewEvent => system('SessionFinished', {});

/** Mirrors one call of track(). The map is sent as JSON text. It is left out when that text is too long for a value. */
export function eventTriggered(sourceEvent: string, properties: Properties): NewEvent {
  return system('EventTriggered', { sourceEvent, properties: shortJson(properties) });
}

/** `oldValue` is absent when the property is new, `newValue` when it was removed. */
export function customPropertyChanged(change: {
  key: string;
  oldValue: PropertyValue | undefined;
  newValue: PropertyValue | undefined;
}): NewEvent {
  return system('CustomPropertyChanged', change);
}

export function campaignShown(source: string, campaignId: string): NewEvent {
  return system('CampaignShown', { source, campaignId });
}

export type Resolution =
  | { result: 'Completed' | 'Dismissed' | 'SkippedNoPresenter' | 'SkippedNoContinuation' }
  | { result: 'Unavailable'; unavailableReason: 'TimedOut' | 'PresenterFailed' | 'PresenterReported' };

export function campaignResolved(campaignId: string, resolution: Resolution): NewEvent {
  return system('CampaignResolved', { campaignId, ...resolution });
}

function shortJson(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  return [...text].length > longestString ? undefined : text;
}

function system(name: string, params: Record<string, PropertyValue | undefined>): NewEvent {
  return { name, type: 'system', params: namedValues(params) };
}
