// Between instants and the calendar of a time zone: times as a field of the browser writes them, `2026-03-01T09:30`.

const dayMillis = 86_400_000;

/** Seconds are written only where there are some. */
export function localOf(instant: string | number, timeZone: string): string {
  const text = secondsOf(new Date(instant).getTime(), timeZone);
  return text.endsWith(':00') ? text.slice(0, -3) : text;
}

/** The calendar day of an instant: `2026-03-01`. */
export const dayOf = (instant: string | number, timeZone: string): string => localOf(instant, timeZone).slice(0, 10);

/** `twice`: the clock is put back over this time; the earlier instant is taken. `never`: it is put forward over it. */
export type Doubt = 'twice' | 'never' | null;

/** Null for text that is no time. Of a time that the clocks skip, the instant is as long after their change. */
export function instantOf(local: string, timeZone: string): { instant: string; doubt: Doubt } | null {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return null;
  // No zone's offset changes by more than a day, so the offsets a day before and after are those that can hold.
  const offsets = [wanted - dayMillis, wanted + dayMillis].map((near) => offsetOf(near, timeZone));
  const candidates = [...new Set(offsets)].map((offset) => wanted - offset).sort((one, other) => one - other);
  const holding = candidates.filter((candidate) => candidate + offsetOf(candidate, timeZone) === wanted);
  const taken = holding[0] ?? candidates.at(-1)!;
  const doubt = holding.length > 1 ? 'twice' : holding.length === 0 ? 'never' : null;
  return { instant: new Date(taken).toISOString(), doubt };
}

function offsetOf(instant: number, timeZone: string): number {
  return Date.parse(`${secondsOf(instant, timeZone)}Z`) - Math.floor(instant / 1_000) * 1_000;
}

function secondsOf(instant: number, timeZone: string): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type)!;
  const date = `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`;
  return `${date}T${get('hour')}:${get('minute')}:${get('second')}`;
}

/** To make one takes longer than to use it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made = formats.get(timeZone);
  if (made) return made;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', ...day, ...clock });
  formats.set(timeZone, format);
  return format;
}
