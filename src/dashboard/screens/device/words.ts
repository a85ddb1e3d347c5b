// Words for what the API names in capitals, and for versions.

/** `FAMILY_SHARED` is `family shared`. */
export const words = (value: string): string => value.toLowerCase().replaceAll('_', ' ');

/** `2014003` is 2.14.3 in the encoding that schema.graphql recommends at `VersionRange`; null where it cannot be. */
export function recommendedVersion(value: number): string | null {
  if (!Number.isSafeInteger(value) || value < 1_000) return null;
  return [Math.floor(value / 1_000_000), Math.floor(value / 1_000) % 1_000, value % 1_000].join('.');
}

/** `+02:00` for 120 minutes. */
export function offsetText(minutes: number): string {
  const part = (value: number): string => String(value).padStart(2, '0');
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${part(Math.floor(absolute / 60))}:${part(absolute % 60)}`;
}

/** The wall clock of the device at an instant. */
export function localTime(instant: string, offsetMinutes: number): string {
  const moved = new Date(Date.parse(instant) + offsetMinutes * 60_000).toISOString();
  return `${moved.slice(0, 10)} ${moved.slice(11, 19)} (UTC${offsetText(offsetMinutes)})`;
}
