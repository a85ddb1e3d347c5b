// The one reading of ISO 8601 instants, used by the contract's `date-time` format and by the rows: contract 1.5.

const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * Unix seconds with the fraction, or null when the text is no such instant: seconds required, any number of fraction
 * digits (kept to the microsecond), `Z` or an offset `+hh:mm`, `+hhmm` or `+hh` up to ±23:59, years 0001–9999, a real calendar date.
 */
export function parseIsoDateTime(text: string): number | null {
  const match = pattern.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offset = offsetSeconds(match[8]!);
  if (offset === null || year < 1 || hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  date.setUTCHours(hour, minute, second);
  // Cut rather than rounded: nines without end must not reach the next second.
  const fraction = match[7] === undefined ? 0 : Number(`0.${match[7].slice(0, 6)}`);
  return date.getTime() / 1000 - offset + fraction;
}

function offsetSeconds(zone: string): number | null {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}
