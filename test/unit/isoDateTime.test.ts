// ISO 8601 instants: which texts are valid, and which instant they mean.
import { instantIn, parseIsoDateTime } from '../../src/platform/isoDateTime.ts';
import { timestampText } from '../../src/sessions/timestampText.ts';

// Unix seconds by `date -u -d '2026-09-10T00:26:40Z' +%s`, and by the proleptic calendar for the far ends.
test.each([
  ['2026-09-10T00:26:40Z', 1_789_000_000],
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59Z', -1],
  ['0001-01-01T00:00:00Z', -62_135_596_800],
  ['9999-12-31T23:59:59Z', 253_402_300_799],
  ['2024-02-29T12:00:00Z', 1_709_208_000],
  ['2000-02-29T00:00:00Z', 951_782_400],
  ['0099-12-31T00:00:00Z', -59_011_545_600],
])('%s is %d', (text, seconds) => {
  expect(parseIsoDateTime(text)).toBe(seconds);
});

test.each([
  ['2026-09-10T02:26:40+02:00', 0],
  ['2026-09-10T02:26:40+0200', 0],
  ['2026-09-10T02:26:40+02', 0],
  ['2026-09-09T19:26:40-05:00', 0],
  ['2026-09-10T05:56:40+0530', 0],
  ['2026-09-09T20:56:40-03:30', 0],
  ['2026-09-11T00:25:40+23:59', 0],
  ['2026-09-09T00:27:40-2359', 0],
  ['2026-09-10T00:26:40-00:00', 0],
])('%s is the same instant as 1789000000', (text) => {
  expect(parseIsoDateTime(text)).toBe(1_789_000_000);
});

test.each([
  '2026-09-10T00:26Z',
  '2026-09-10T02:26+02:00',
  '2026-09-10T02:26+0200',
  '2026-09-10T02:26+02',
  '2026-09-09T19:26-05:00',
  '2026-09-11T00:25+23:59',
  '2026-09-09T00:27-2359',
])('%s is the full minute 1788999960', (text) => {
  expect(parseIsoDateTime(text)).toBe(1_788_999_960);
});

test.each([
  ['2026-09-10T00:26:40.5Z', 0.5],
  ['2026-09-10T02:26:40,5+02:00', 0.5],
  ['2026-09-10T00:26:40.250+00:00', 0.25],
  ['2026-09-10T00:26:40.000001Z', 0.000001],
  ['2026-09-10T00:26:40.999999Z', 0.999999],
  [`2026-09-10T00:26:40.${'1'.repeat(200)}Z`, 0.111111],
  ['2026-09-10T00:26:40.0Z', 0],
])('the fraction of %s is kept to the microsecond', (text, fraction) => {
  expect(parseIsoDateTime(text)! - 1_789_000_000).toBeCloseTo(fraction, 6);
});

test.each([
  '',
  '2026-09-10',
  '2026-09-10T00:26',
  '2026-09-10T00:26.5Z',
  '2026-09-10T00:26,5Z',
  '2026-09-10T00:26:Z',
  '2026-09-10T00:26:4Z',
  '2026-09-10T00:60Z',
  '2026-09-10T24:00Z',
  '2026-09-10T00:26+24',
  '2026-09-10T00Z',
  '2026-09-10T00:26:40',
  '2026-09-10 00:26:40Z',
  '2026-09-10t00:26:40z',
  '2026-9-10T00:26:40Z',
  '20260910T002640Z',
  '2026-09-10T00:26:40.Z',
  '2026-09-10T00:26:40.5',
  '0000-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '+2026-09-10T00:26:40Z',
  '-2026-09-10T00:26:40Z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '2026-09-00T00:00:00Z',
  '2026-09-31T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-09-10T24:00:00Z',
  '2026-09-10T00:60:00Z',
  '2026-09-10T00:00:60Z',
  '2026-09-10T00:00:00+24:00',
  '2026-09-10T00:00:00+01:60',
  '2026-09-10T00:00:00+1',
  '2026-09-10T00:00:00+1:00',
  '2026-09-10T00:00:00+01:',
  '2026-09-10T00:00:00+010',
  '2026-09-10T00:00:00 +01:00',
  '2026-09-10T00:00:00ZZ',
  ' 2026-09-10T00:00:00Z',
  '2026-09-10T00:00:00Z\n',
  '２０２６-09-10T00:00:00Z',
  '2026-W37-4T00:00:00Z',
  'now',
])('%j is none', (text) => {
  expect(parseIsoDateTime(text)).toBeNull();
});

test('only what stands between two places is read', () => {
  const written = '2026-09-10T00:26:40Z';
  const bytes = Buffer.from(`12${written}345`);
  const ends = [written.length - 1, written.length, written.length + 1];
  expect(ends.map((length) => instantIn(bytes, 2, 2 + length))).toEqual([null, 1_789_000_000, null]);
  // The seconds stand beyond the end of the range.
  const minute = Buffer.from('2026-09-10T00:26:40Z2026-09-10T00:26Z');
  expect([16, 17, 18, 19].map((length) => instantIn(minute, 0, length))).toEqual([null, null, null, null]);
  expect([36, 37].map((end) => instantIn(minute, 20, end))).toEqual([null, 1_788_999_960]);
  // The fraction continues beyond the end of the range; the zone begins there.
  const [fraction, zone] = [Buffer.from('2026-09-10T00:26:40.25Z'), Buffer.from('2026-09-10T00:26:40.2+01:00')];
  expect([instantIn(fraction, 0, 21), instantIn(zone, 0, 21)]).toEqual([null, null]);
  expect([instantIn(zone, 0, 24), instantIn(zone, 0, 27)]).toEqual([1_788_996_400.2, 1_788_996_400.2]);
});

test('nines without end do not reach the next second', () => {
  for (const digits of [7, 8, 200])
    expect(timestampText(parseIsoDateTime(`2026-09-10T00:26:40.${'9'.repeat(digits)}Z`)!)).toBe(
      '2026-09-10T00:26:40.999999Z',
    );
});

describe('what is stored of a microsecond', () => {
  const fractions = Array.from({ length: 2_000 }, (_, index) => String((index * 499_979) % 1_000_000).padStart(6, '0'));

  test.each(['1698-01-01T00:00:00', '1969-12-31T23:59:59', '2026-09-10T00:26:40', '2241-12-31T23:59:59'])(
    'is that microsecond in %s',
    (begin) => {
      for (const digits of fractions) {
        const stored = timestampText(parseIsoDateTime(`${begin}.${digits}Z`)!);
        expect(stored).toBe(digits === '000000' ? `${begin}Z` : `${begin}.${digits}Z`);
      }
    },
  );

  test.each(['0001-01-01T00:00:00', '1500-01-01T00:00:00', '2300-01-01T00:00:00', '9999-12-31T23:59:58'])(
    'is at most 16 away in %s',
    (begin) => {
      const away = fractions.map((digits) => {
        const [, stored = '0'] = /\.(\d+)Z$/.exec(timestampText(parseIsoDateTime(`${begin}.${digits}Z`)!)) ?? [];
        const apart = Math.abs(Number(stored) - Number(digits));
        return Math.min(apart, 1_000_000 - apart);
      });
      expect(Math.max(...away)).toBeGreaterThan(0);
      expect(Math.max(...away)).toBeLessThanOrEqual(16);
    },
  );
});
