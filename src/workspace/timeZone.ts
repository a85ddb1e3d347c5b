// The names of time zones that this process knows (pure). timeZonesStore.ts asks PostgreSQL, which has the last word.

const form = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Offsets such as `+01:00`, which the process also takes, are no names. Names of its own (`IST`, `SystemV/PST8`) pass. */
export function isKnownTimeZone(timeZone: string): boolean {
  if (!form.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
