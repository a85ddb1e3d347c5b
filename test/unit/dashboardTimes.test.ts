// The dashboard's calendar of a time zone: local times, days, and the hours that the clocks skip or show twice.
import { dayOf, dayStart, instantOf, localOf, presets, type Doubt } from '../../src/dashboard/parts/range.ts';

test.each<[string, string, { instant: string; doubt: Doubt }]>([
  ['2026-03-01T09:30', 'UTC', { instant: '2026-03-01T09:30:00.000Z', doubt: null }],
  ['2026-03-01T09:30', 'Europe/Berlin', { instant: '2026-03-01T08:30:00.000Z', doubt: null }],
  ['2026-07-01T09:30:15', 'Europe/Berlin', { instant: '2026-07-01T07:30:15.000Z', doubt: null }],
  ['2026-03-01T00:00', 'Pacific/Kiritimati', { instant: '2026-02-28T10:00:00.000Z', doubt: null }],
  ['2026-03-01T00:00', 'Asia/Kathmandu', { instant: '2026-02-28T18:15:00.000Z', doubt: null }],
  // 02:00 becomes 03:00.
  ['2026-03-29T02:30', 'Europe/Berlin', { instant: '2026-03-29T01:30:00.000Z', doubt: 'never' }],
  ['2026-03-29T03:00', 'Europe/Berlin', { instant: '2026-03-29T01:00:00.000Z', doubt: null }],
  // 03:00 becomes 02:00.
  ['2026-10-25T02:30', 'Europe/Berlin', { instant: '2026-10-25T00:30:00.000Z', doubt: 'twice' }],
  ['2026-10-25T03:00', 'Europe/Berlin', { instant: '2026-10-25T02:00:00.000Z', doubt: null }],
  // The clocks change by half an hour.
  ['2026-04-05T01:45', 'Australia/Lord_Howe', { instant: '2026-04-04T14:45:00.000Z', doubt: 'twice' }],
])('%s in %s is %j', (local, timeZone, meant) => {
  expect(instantOf(local, timeZone)).toEqual(meant);
});

test.each(['', 'tomorrow', '2026-13-01T00:00'])('"%s" is no time', (text) => {
  expect(instantOf(text, 'UTC')).toBeNull();
});

test.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo'])(
  'every hour of a year comes back from its local time, but for those that come twice: %s',
  (timeZone) => {
    for (let at = Date.parse('2025-01-01T00:00Z'); at < Date.parse('2026-01-01T00:00Z'); at += 3_600_000) {
      const back = instantOf(localOf(at, timeZone), timeZone)!;
      if (back.doubt !== 'twice') expect(back).toEqual({ instant: new Date(at).toISOString(), doubt: null });
      else expect(localOf(back.instant, timeZone)).toBe(localOf(at, timeZone));
    }
  },
);

test('an instant is written with its seconds where it has some', () => {
  expect(localOf('2026-03-01T08:30:00.999Z', 'Europe/Berlin')).toBe('2026-03-01T09:30');
  expect(localOf('2026-03-01T08:30:07.000Z', 'Europe/Berlin')).toBe('2026-03-01T09:30:07');
  expect(localOf('0099-01-01T00:00:00.000Z', 'UTC')).toBe('0099-01-01T00:00');
  expect(dayOf('2026-03-01T23:30:00.000Z', 'Europe/Berlin')).toBe('2026-03-02');
});

test.each([
  ['2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  // The hour before midnight comes twice: the day is an hour later.
  ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
  // The zone had no 30 December.
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('the day %s in %s begins at %s', (day, timeZone, instant) => {
  expect(dayStart(day, timeZone)).toBe(instant);
});

test.each([
  ['Yesterday', '2026-03-01', { from: '2026-02-28', to: '2026-02-28' }],
  ['Last month', '2026-03-01', { from: '2026-02-01', to: '2026-02-28' }],
  ['Last month', '2026-01-31', { from: '2025-12-01', to: '2025-12-31' }],
  ['Last month', '2028-03-31', { from: '2028-02-01', to: '2028-02-29' }],
  ['7 days', '2026-03-01', { from: '2026-02-23', to: '2026-03-01' }],
])('the range "%s" on %s is %j', (label, last, range) => {
  expect(presets.find((preset) => preset.label === label)!.of(last)).toEqual(range);
});
