// The names of time zones: those of the IANA time zone database that this process knows.

const form = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/**
 * The name in the spelling of the database where the process knows it, otherwise as given; null for an unknown name. Offsets
 * such as `+01:00`, which the process also takes, are no names.
 */
export function timeZoneName(given: string): string | null {
  if (!form.test(given)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given;
  } catch {
    return null;
  }
}
