// The network by which attempts from an address are counted, and the wider one that the log has.
import { loggedNetwork, networkOf, siteOf } from '../../src/accounts/networkOf.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['fe80::1%a:b:c:d:e:f', 'fe80:0:0:0::/64'],
  ['192.0.2.1:5021', '192.0.2.1'],
  ['[2001:db8:1:2::6]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::6]', '2001:db8:1:2::/64'],
  ['', ''],
])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network));

test.each([
  ['192.0.2.17:5021', '192.0.2.17'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['[2001:DB8:0001:ffff::6]:443', '2001:db8:1::/48'],
  ['', ''],
])('%s is at the site %s', (address, site) => expect(siteOf(address)).toBe(site));

test.each([
  ['192.0.2.17', '192.0.2.0/24'],
  ['::ffff:192.0.2.17', '192.0.2.0/24'],
  ['192.0.2.17:5021', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['[2001:DB8:0001:2::6]:443', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['', 'unknown'],
  ['192.0.2', 'unknown'],
  ['somebody@example.com', 'unknown'],
  ['unknown\n{"level":"fatal"}', 'unknown'],
])('of %j the log has %s', (address, network) => expect(loggedNetwork(address)).toBe(network));
