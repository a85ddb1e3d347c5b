// The offset from UTC at the end of a date-time, in minutes.
import { utcOffsetMinutes } from '../../src/platform/utcOffset.ts';

test.each([
  ['2026-09-10T02:26:40Z', 0],
  ['2026-09-10T02:26Z', 0],
  ['2026-09-10T02:26:40+02:00', 120],
  ['2026-09-10T02:26:40.123+0530', 330],
  ['2026-09-10T02:26:40,5-03', -180],
  ['2026-09-10T02:26-00:00', 0],
  ['2026-09-10T02:26:40-23:59', -1_439],
])('%s', (text, minutes) => {
  expect(utcOffsetMinutes(text)).toBe(minutes);
});
