// Decides whether a campaign targets this device and its user: openapi.yaml, getCampaigns, "Evaluation".
// Of the SDK the file imports only conditions.ts.
import type { components } from '../../../../../generated/openapi.ts';
import { conditionHolds, type Primitive } from './conditions.ts';

type Targeting = components['schemas']['CampaignTargeting'];

export type DeviceFacts = Pick<
  components['schemas']['DeviceProperties'],
  | 'platform'
  | 'appVersionNormalized'
  | 'osVersionNormalized'
  | 'sdkVersionNormalized'
  | 'appInstallVersionNormalized'
  | 'country'
>;

export type PropertyMap = ReadonlyMap<string, Primitive>;

/** All restrictions must hold. The device checks each of them, because the server may have applied only some. */
export function isTargeted(targeting: Targeting, device: DeviceFacts, properties: PropertyMap): boolean {
  const { platforms, countries, userProperties } = targeting;
  return (
    (platforms.length === 0 || platforms.includes(device.platform)) &&
    within(targeting.appVersion, device.appVersionNormalized) &&
    within(targeting.osVersion, device.osVersionNormalized) &&
    within(targeting.sdkVersion, device.sdkVersionNormalized) &&
    within(targeting.appInstallVersion, device.appInstallVersionNormalized) &&
    (countries.length === 0 || hasCountry(countries, device.country ?? '')) &&
    (userProperties.length === 0 || userProperties.some((group) => groupHolds(group, properties)))
  );
}

/** Both bounds are inclusive. */
function within({ min, max }: Targeting['appVersion'], version: number): boolean {
  return (min === null || version >= min) && (max === null || version <= max);
}

function hasCountry(countries: string[], country: string): boolean {
  const wanted = asciiLowerCase(country);
  return country !== '' && countries.some((code) => asciiLowerCase(code) === wanted);
}

function groupHolds(group: Targeting['userProperties'][number], properties: PropertyMap): boolean {
  return group.every((condition) => conditionHolds(condition, properties.get(condition.name)));
}

/** Changes A to Z only. The rules of a locale would turn "I" into a dotless letter on some devices. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
