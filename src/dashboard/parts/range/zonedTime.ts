// Between instants and the calendar of a time zone: the day of an instant, and the instant of a local time.

const minute = 60_000;

/** `2026-03-01T14:30`, as an input of type `datetime-local` has it. */
export function localOf(instant: string | number, timeZone: string): string {
  // Sweden writes dates as ISO 8601 does.
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(new Date(instant)).replace(' ', 'T');
}

export const dayOf = (instant: string | number, timeZone: string): string => localOf(instant, timeZone).slice(0, 10);

/** The instant at which the zone's clocks show the local time; where they skip it, the first one after. */
export function instantOf(local: string, timeZone: string): string {
  const utc = Date.parse(`${local.slice(0, 16)}Z`);
  // No zone is further from UTC than this.
  let [before, after] = [utc - 16 * 60 * minute, utc + 16 * 60 * minute];
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / 2 / minute) * minute;
    if (localOf(middle, timeZone) >= local.slice(0, 16)) after = middle;
    else before = middle;
  }
  return new Date(after).toISOString();
}
