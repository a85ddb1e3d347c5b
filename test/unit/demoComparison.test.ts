// The demo's verdict: it must notice every difference between the stored data and the device's own record.
import { differences } from '../tools/demo/comparison.ts';
import type { StoredDevice } from '../tools/demo/readBack.ts';
import { newLedger } from '../tools/demo/simulation/ledger.ts';

function recorded() {
  const ledger = newLedger('device');
  ledger.sessions.set('s1', { eventIds: new Set(['a', 'b']), finished: true });
  ledger.acknowledgedEventIds = new Set(['a', 'b']);
  ledger.userProperties = new Map([['plan', 'pro']]);
  return ledger;
}

function stored(
  session: { eventIds: string[]; finished: boolean } = { eventIds: ['b', 'a'], finished: true },
): StoredDevice {
  return { sessions: new Map([['s1', session]]), userProperties: new Map([['plan', 'pro']]), attributionReports: 0 };
}

test('agrees, whatever the order', () => expect(differences(recorded(), stored())).toEqual([]));

test.each([
  ['an unknown device', null, 'the service does not know the device'],
  ['a missing event', stored({ eventIds: ['a'], finished: true }), 'session s1 lacks 1 of 2 events'],
  ['an event twice', stored({ eventIds: ['a', 'b', 'b'], finished: true }), 'session s1 has events twice'],
  [
    'an event of nobody',
    stored({ eventIds: ['a', 'b', 'c'], finished: true }),
    'session s1 has 1 events that were not recorded',
  ],
  [
    'a session left open',
    stored({ eventIds: ['a', 'b'], finished: false }),
    'session s1 is not finished in the service',
  ],
  ['an attribution of nobody', { ...stored(), attributionReports: 1 }, '1 attribution reports are stored instead of 0'],
  ['a missing session', { ...stored(), sessions: new Map() }, 'session s1 is not stored'],
])('sees %s', (_, device, problem) => expect(differences(recorded(), device)).toEqual([problem]));

test('sees a session of nobody, lost properties and missing acknowledgements', () => {
  const device = stored();
  device.sessions.set('s2', { eventIds: [], finished: false });
  device.userProperties = new Map();
  const ledger = recorded();
  ledger.acknowledgedEventIds.delete('a');
  expect(differences(ledger, device)).toEqual([
    '2 events recorded, 1 acknowledged',
    'session s2 is stored and was never recorded',
    'user properties are [["plan","pro"]] on the device and [] in the service',
  ]);
});
