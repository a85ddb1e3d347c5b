// Words for the clock of a device.

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
