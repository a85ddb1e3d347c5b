// The one reading of ISO 8601 instants, used by the contract's `date-time` format and by the rows: contract 1.5.

const zones = /^(?:Z|[+-]\d{2}(?::?\d{2})?)$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Unix seconds with the fraction, or null when the text is no such instant: seconds required, any number of fraction
 * digits (kept to the microsecond), `Z` or an offset `+hh:mm`, `+hhmm` or `+hh` up to ±23:59, years 0001–9999, a real
 * calendar date. By hand: an upload holds one for each event, and one pattern with its groups took half of validation.
 */
export function parseIsoDateTime(text: string): number | null {
  const seconds = wholeSeconds(text);
  if (Number.isNaN(seconds)) return null;
  const end = endOfFraction(text);
  const offset = offsetSeconds(text.slice(end));
  return offset === null ? null : seconds - offset + fraction(text, end);
}

/** Where the zone begins. A point or comma without a digit behind it belongs to the zone, which then has no form. */
function endOfFraction(text: string): number {
  if (text[19] !== '.' && text[19] !== ',') return 19;
  let end = 20;
  while (isDigit(text, end)) end++;
  return end === 20 ? 19 : end;
}

/** To the microsecond, cut rather than rounded: nines without end must not reach the next second. */
function fraction(text: string, end: number): number {
  let value = 0;
  let unit = 1;
  for (let at = 20; at < Math.min(end, 26); at++) {
    value = value * 10 + text.charCodeAt(at) - 48;
    unit *= 10;
  }
  return value / unit;
}

/** Of `YYYY-MM-DDThh:mm:ss` at the beginning of the text, taken as UTC; NaN where there is none. */
function wholeSeconds(text: string): number {
  const separated = text[4] === '-' && text[7] === '-' && text[10] === 'T' && text[13] === ':' && text[16] === ':';
  if (!separated) return NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  // Comparisons with NaN are false.
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= lengthOfMonth(year, month))) return NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return NaN;
  return daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

function lengthOfMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : daysInMonth[month - 1]!;
}

/** By the proleptic Gregorian calendar, counting years from March, so that a leap day is a year's last. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + dayOfYear - 719_468;
}

function offsetSeconds(zone: string): number | null {
  if (zone === 'Z') return 0;
  if (!zones.test(zone)) return null;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}
