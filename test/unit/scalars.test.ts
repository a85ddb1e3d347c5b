// The scalars of the admin API: which texts are a DateTime, and which instant each of them is.
import { scalars } from '../../src/graphql/scalars.ts';

const read = (text: unknown): string => (scalars.DateTime.parseValue(text) as Date).toISOString();

test.each([
  ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30Z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30+01:00', '2026-03-01T08:30:00.000Z'],
  ['2026-03-01T09:30:00+0100', '2026-03-01T08:30:00.000Z'],
  ['2026-03-01T09:30:00-01', '2026-03-01T10:30:00.000Z'],
  ['2026-03-01t09:30:00z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30:00.9999999Z', '2026-03-01T09:30:00.999Z'],
  ['2026-03-01T09:30:00.29Z', '2026-03-01T09:30:00.290Z'],
  ['1969-12-31T23:59:59.001Z', '1969-12-31T23:59:59.001Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
])('the DateTime %s is %s', (text, instant) => expect(read(text)).toBe(instant));

test.each([
  '2026-03-01T09:30',
  '2026-03-01T09:30:00',
  '2026-03-01',
  '2026-02-30T09:30:00Z',
  '2026-03-01T24:00:00Z',
  '2026-03-01T09:30.5Z',
  '2026-03-01T09:30:00.Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '',
  1_772_357_400,
])('%j is no DateTime, and the message does not repeat it', (value) => {
  expect(() => read(value)).toThrow('It must be a date and time with an offset, in the years 0001 to 9999.');
});
