// Times of a zone as a field of the browser writes them, `2026-03-01T09:30`, and the instants they mean.

/** Seconds are written only where there are some. */
export function localOf(instant: string, timeZone: string): string {
  const parts = partsOf(Date.parse(instant), timeZone);
  return parts.endsWith(':00') ? parts.slice(0, -3) : parts;
}

/** `twice`: the clock is put back over this time; the earlier instant is taken. `never`: it is put forward over it. */
export type Doubt = 'twice' | 'never' | null;

/** Null for text that is no time. */
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

const dayMillis = 86_400_000;

function offsetOf(instant: number, timeZone: string): number {
  return Date.parse(`${partsOf(instant, timeZone)}Z`) - Math.floor(instant / 1_000) * 1_000;
}

function partsOf(instant: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type)!;
  const date = `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`;
  return `${date}T${get('hour')}:${get('minute')}:${get('second')}`;
}
