// The names of time zones that an application takes.
import { timeZoneName } from '../../src/workspace/timeZone.ts';

test.each([
  ['UTC', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Etc/GMT+1', 'Etc/GMT+1'],
])('%s is %s', (given, name) => {
  expect(timeZoneName(given)).toBe(name);
});

test('a second name of a zone is kept as it is given', () => {
  for (const name of ['Asia/Kolkata', 'Asia/Calcutta']) expect(timeZoneName(name)).toBe(name);
});

test.each(['', ' UTC', '+01:00', 'Europe', 'Europe/Nowhere', 'GMT+1', 'UTC\0', `UTC${'x'.repeat(64)}`])(
  '"%s" is refused',
  (given) => {
    expect(timeZoneName(given)).toBeNull();
  },
);
