// The key of a device must never change, because rows are stored under it.
import { deviceKey } from '../../src/devices/deviceKey.ts';

const application = '0192f0c4-1111-7000-8000-000000000001';

// printf '%s
// %s' "$application" "$device" | sha256sum, cut to 32 digits, with the version 8 and the variant 8, 9, a or b.
test.each([
  ['device-1', '0e34611a-8fd6-8586-86be-507422938d5e'],
  ['gerät 🚀', '8716f73d-a83d-8331-bb85-cbc3a45f41db'],
])('of %s is what SHA-256 says', (device, key) => {
  expect(deviceKey(application, device)).toBe(key);
});

test('differs by application and by every character of the id', () => {
  const other = '0192f0c4-1111-7000-8000-000000000002';
  const ids = ['device-1', 'device-1 ', ' device-1', 'Device-1', 'device-\n1', '', 'é', 'e\u0301'];
  const keys = ids.flatMap((id) => [deviceKey(application, id), deviceKey(other, id)]);
  expect(new Set(keys).size).toBe(2 * ids.length);
});
