// The part of targeting that the server applies: platform, versions and country, each only where the fetch gives it.
import type { components } from '../../generated/openapi.ts';

type Targeting = components['schemas']['CampaignTargeting'];

/** What a device says of itself in its fetch; what is absent filters nothing. */
export interface DeviceFacts {
  platform?: 'iOS' | 'Android';
  appVersion?: number;
  osVersion?: number;
  sdkVersion?: number;
  country?: string;
}

/** Equal facts have equal texts: an empty country counts as not given, and country letters have no case. */
export function normalisedFacts({ platform, appVersion, osVersion, sdkVersion, country }: DeviceFacts): DeviceFacts {
  return {
    ...(platform !== undefined && { platform }),
    ...(appVersion !== undefined && { appVersion }),
    ...(osVersion !== undefined && { osVersion }),
    ...(sdkVersion !== undefined && { sdkVersion }),
    ...(country !== undefined && country !== '' && { country: asciiUpperCase(country) }),
  };
}

/** False when no device with these (normalised) facts can match, whatever else it is. */
export function mayReach(targeting: Targeting, { platform, country, ...versions }: DeviceFacts): boolean {
  const { platforms, countries, appVersion, osVersion, sdkVersion } = targeting;
  if (platform !== undefined && platforms.length > 0 && !platforms.includes(platform)) return false;
  if (country !== undefined && countries.length > 0 && !countries.some((code) => asciiUpperCase(code) === country)) {
    return false;
  }
  return (
    within(appVersion, versions.appVersion) &&
    within(osVersion, versions.osVersion) &&
    within(sdkVersion, versions.sdkVersion)
  );
}

function within({ min, max }: Targeting['appVersion'], version: number | undefined): boolean {
  if (version === undefined) return true;
  return (min === null || version >= min) && (max === null || version <= max);
}

/** Not toUpperCase(), which turns "ß" into "SS" and knows letters of other scripts. */
function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
