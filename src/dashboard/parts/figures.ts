// Numbers and times as people read them: exact, with their unit, in the application's zone.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** All digits: a tile and a table never round. */
export const count = (value: number): string => whole.format(value);
/** Below one with three digits, so that 0.003 is not shown as 0. */
export const decimal = (value: number): string => (Math.abs(value) < 1 ? small : fine).format(value);
/** For the axis of a chart alone. */
export const axisCount = (value: number): string => short.format(value);

/** `360 B`, `12.5 KiB`, `1,024 MiB`. */
export function size(bytes: number): string {
  if (bytes < 1_024) return `${count(bytes)} B`;
  return bytes < 1_048_576 ? `${fine.format(bytes / 1_024)} KiB` : `${fine.format(bytes / 1_048_576)} MiB`;
}

/** `—` where there is nothing to divide; 99.96 % is not shown as 100 %, nor 0.03 % as 0 %. */
export function percent(part: number | null | undefined): string {
  if (part === null || part === undefined) return '—';
  const value = part * 100;
  if (value > 99.9 && value < 100) return '> 99.9 %';
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return `${Number(value.toFixed(1))} %`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '—';
  const rounded = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(rounded / 3_600), Math.floor(rounded / 60) % 60, rounded % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

/** At least the currency's own digits. An amount as text is exact and keeps all of its digits: half of 9.99 is `€4.995`. */
export function money(amount: number | string, currency: string): string {
  const format = moneyFormat(currency, 0);
  // Not a code of three letters: the store's text as it is.
  if (!format) return `${amount} ${currency}`;
  const own = typeof amount === 'string' ? (amount.split('.')[1] ?? '').replace(/0+$/, '').length : 0;
  const exact = own > format.resolvedOptions().maximumFractionDigits! ? moneyFormat(currency, own)! : format;
  // Intl takes a decimal text digit by digit; the types know it of texts in the source alone.
  return exact.format(amount as number);
}

/** The digits that the currency has after the point; 2 for what is no code of three letters. */
export const digitsOf = (currency: string): number =>
  moneyFormat(currency, 0)?.resolvedOptions().maximumFractionDigits ?? 2;

function moneyFormat(currency: string, digits: number): Intl.NumberFormat | null {
  if (!/^[A-Za-z]{3}$/.test(currency)) return null;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    ...(digits > 0 && { minimumFractionDigits: digits }),
  });
}

/** The change against the period before, with its sign; null where the period before has nothing. */
export function change(now: number, before: number): string | null {
  if (before === 0) return null;
  const value = ((now - before) / before) * 100;
  const text = Math.abs(value) >= 1_000 ? count(Math.round(value)) : String(Number(value.toFixed(1)));
  return `${value > 0 ? '+' : ''}${text} %`;
}

type Style = 'date' | 'moment' | 'full' | 'second' | 'clock' | 'day' | 'hour' | 'month';
const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  moment: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  full: {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  },
  second: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { weekday: 'short', month: 'short', day: 'numeric' },
  hour: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  month: { year: 'numeric', month: 'long' },
};

export function time(instant: string | number, timeZone: string, style: Style = 'moment'): string {
  return new Intl.DateTimeFormat('en-GB', { ...styles[style], timeZone }).format(new Date(instant));
}

/** A date of the calendar, `2026-03-01`, as `1 Mar 2026`: it has no zone. */
export function dayName(day: string): string {
  const options: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' };
  return new Intl.DateTimeFormat('en-GB', options).format(new Date(`${day}T00:00:00Z`));
}

/** Today in the zone, as `2026-03-01`, or so many days from it. */
export function today(timeZone: string, plusDays = 0): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date());
  const day = new Date(`${parts}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + plusDays);
  return day.toISOString().slice(0, 10);
}

/** `5 minutes ago`. */
export function ago(instant: string, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1_000;
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const steps = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step ? format.format(Math.trunc(seconds / step[1]), step[0]) : format.format(Math.trunc(seconds), 'second');
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** `Germany (DE)`; a text that is no country's code stays as it is. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  const name = regions.of(code);
  return name === undefined || name === code ? code : `${name} (${code})`;
}

/** In units of the last of `places` digits after the point. */
function unitsOf(amount: string, places: number): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return amount.startsWith('-') ? -units : units;
}

const placesOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

function textOf(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const fraction = places === 0 ? '' : `.${digits.slice(-places)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${fraction}`;
}

/** Sums and differences of exact amounts: decimal texts in, decimal text out, without a double between. */
export function sumOf(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map(placesOf));
  const sum = amounts.reduce((all, amount) => all + unitsOf(amount, places), 0n);
  return textOf(sum, places);
}

export function minus(amount: string, less: string): string {
  return sumOf([amount, less.startsWith('-') ? less.slice(1) : `-${less}`]);
}

export function times(amount: string, quantity: number): string {
  const places = placesOf(amount);
  return textOf(unitsOf(amount, places) * BigInt(quantity), places);
}

/** To so many places, half away from zero: no Intl is asked to round what it would first make a double. */
export function rounded(amount: string, places: number): string {
  const own = placesOf(amount);
  if (own <= places) return amount;
  const [units, least] = [unitsOf(amount, own), 10n ** BigInt(own - places)];
  const half = units < 0n ? -least : least;
  return textOf((units * 2n + half) / (least * 2n), places);
}
