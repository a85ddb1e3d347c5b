// The targeting that the server applies: platform, versions and country, each only when the request gives a value.
import type { components } from '../../generated/openapi.ts';

type Targeting = components['schemas']['CampaignTargeting'];

/** The facts that a device gives in its request. An absent fact filters nothing. */
export interface DeviceFacts {
  platform?: 'iOS' | 'Android';
  appVersion?: number;
  osVersion?: number;
  sdkVersion?: number;
  country?: string;
}

/** Equal facts get equal texts: an empty country counts as absent, and the case of a country does not matter. */
export function normalisedFacts({ platform, appVersion, osVersion, sdkVersion, country }: DeviceFacts): DeviceFacts {
  return {
    ...(platform !== undefined && { platform }),
    ...(appVersion !== undefined && { appVersion }),
    ...(osVersion !== undefined && { osVersion }),
    ...(sdkVersion !== undefined && { sdkVersion }),
    ...(country !== undefined && country !== '' && { country: asciiUpperCase(country) }),
  };
}

/** False when no device with these normalised facts can match. */
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

/** Only ASCII letters: toUpperCase() turns "ß" into "SS" and changes letters of other scripts. */
function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
