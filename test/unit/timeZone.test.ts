// The names of time zones that the process knows.
import { isKnownTimeZone } from '../../src/workspace/timeZone.ts';

test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1', 'Asia/Calcutta'])(
  '%s is known',
  (name) => {
    expect(isKnownTimeZone(name)).toBe(true);
  },
);

test.each(['', ' UTC', '+01:00', 'Europe', 'Europe/Nowhere', 'GMT+1', 'UTC\0', `UTC${'x'.repeat(64)}`])(
  '"%s" is refused',
  (name) => {
    expect(isKnownTimeZone(name)).toBe(false);
  },
);
