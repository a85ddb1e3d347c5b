// Which network addresses a webhook may have (pure): those of the public internet alone.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The special blocks of IPv4 (RFC 6890 and the registry that it founded), multicast and 255.255.255.255. */
const special4 = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]);
/**
 * Global unicast is 2000::/3. Everything else is refused with it: ::, ::1, fc00::/7, fe80::/10, IPv4-mapped addresses and
 * the NAT64 prefix 64:ff9b::/96, which hold an IPv4 address that nobody has checked.
 */
const unicast6 = blockList(['2000::/3']);
/** Inside 2000::/3: protocol assignments with Teredo, documentation, and 6to4, which holds an IPv4 address. */
const special6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address);
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return unicast6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

export function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

function blockList(subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network, bits] = subnet.split('/');
    list.addSubnet(network!, Number(bits), isIPv4(network!) ? 'ipv4' : 'ipv6');
  }
  return list;
}
