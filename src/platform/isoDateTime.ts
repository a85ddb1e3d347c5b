// Reads ISO 8601 instants, for the contract's `date-time` format and for the rows (openapi.yaml, "Dates and times").

import { byteOf } from './json/jsonSigns.ts';

const zones = /^(?:Z|[+-]\d{2}(?::?\d{2})?)$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const shortest = 'YYYY-MM-DDThh:mmZ'.length;
const lengthTo = { minute: 'YYYY-MM-DDThh:mm'.length, second: 'YYYY-MM-DDThh:mm:ss'.length };
const letters = { T: 0x54, Z: 0x5a };

/**
 * Unix seconds with the fraction, or null when the text is no such instant. Seconds are optional and have any number of
 * fraction digits (kept to the microsecond). The zone is `Z` or an offset `+hh:mm`, `+hhmm` or `+hh` up to ±23:59. The
 * date is a real calendar date in the years 0001–9999. Written by hand: an upload holds one instant for each event, and
 * one pattern with its groups took half of validation.
 */
export function parseIsoDateTime(text: string): number | null {
  const bytes = Buffer.from(text);
  return instantIn(bytes, 0, bytes.length);
}

/** The same of a text in UTF-8: taking the characters from a string that is a part of another takes five times as long. */
export function instantIn(bytes: Buffer, start: number, end: number): number | null {
  if (end - start < shortest) return null;
  const minutes = wholeMinutes(bytes, start);
  if (Number.isNaN(minutes)) return null;
  const atFullMinute = bytes[start + lengthTo.minute] !== byteOf.colon;
  // Common libraries leave the seconds out at a full minute.
  if (atFullMinute) return withZone(minutes, bytes.toString('latin1', start + lengthTo.minute, end));
  const point = start + lengthTo.second;
  const second = point < end ? twoDigits(bytes, point - 2) : NaN;
  if (!(second <= 59)) return null;
  const seconds = minutes + second;
  const zone = endOfFraction(bytes, point, end);
  if (bytes[zone] === letters.Z && zone + 1 === end) return seconds + fraction(bytes, point + 1, zone);
  return withZone(seconds, bytes.toString('latin1', zone, end), fraction(bytes, point + 1, zone));
}

function withZone(seconds: number, zone: string, part = 0): number | null {
  const offset = offsetSeconds(zone);
  return offset === null ? null : seconds - offset + part;
}

/** Where the zone begins. A point or comma without a digit behind it belongs to the zone, which then has no form. */
function endOfFraction(bytes: Buffer, point: number, end: number): number {
  if (bytes[point] !== byteOf.point && bytes[point] !== byteOf.comma) return point;
  let at = point + 1;
  while (at < end && bytes[at]! >= byteOf.zero && bytes[at]! <= byteOf.nine) at++;
  return at === point + 1 ? point : at;
}

/** To the microsecond, cut rather than rounded: nines without end must not reach the next second. */
function fraction(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  let unit = 1;
  for (let at = start; at < Math.min(end, start + 6); at++) {
    value = value * 10 + bytes[at]! - byteOf.zero;
    unit *= 10;
  }
  return value / unit;
}

/** The Unix seconds of `YYYY-MM-DDThh:mm` at this place, taken as UTC; NaN where there is none. */
function wholeMinutes(bytes: Buffer, at: number): number {
  const isDate = bytes[at + 4] === byteOf.minus && bytes[at + 7] === byteOf.minus && bytes[at + 10] === letters.T;
  if (!isDate || bytes[at + 13] !== byteOf.colon) return NaN;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  // Comparisons with NaN are false.
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= lengthOfMonth(year, month))) return NaN;
  if (!(hour <= 23 && minute <= 59)) return NaN;
  return daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60;
}

function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - byteOf.zero;
  const ones = bytes[at + 1]! - byteOf.zero;
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
