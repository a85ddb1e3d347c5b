// Writes Unix seconds as the text of a timestamptz, to the nearest microsecond: to_timestamp may be one or two off.

const secondsOfDay = 86_400;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** Nearly all events at one time are of one day, and Date's own text takes ten times as long. */
let lastDay = { day: 0, text: '1970-01-01' };

/** `seconds` within the years 1 to 9999, with a fraction or without. */
export function timestampText(seconds: number): string {
  const whole = Math.floor(seconds);
  const micros = Math.round((seconds - whole) * 1e6);
  // Rounded up to the next second.
  if (micros === 1e6) return timestampText(whole + 1);
  const day = Math.floor(whole / secondsOfDay);
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * secondsOfDay * 1_000).toISOString().slice(0, 10) };
  const time = whole - day * secondsOfDay;
  const [hours, minutes] = [Math.floor(time / 3_600), Math.floor(time / 60) % 60];
  const clock = `${lastDay.text}T${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[time % 60]}`;
  return micros === 0 ? `${clock}Z` : `${clock}.${String(micros).padStart(6, '0')}Z`;
}
