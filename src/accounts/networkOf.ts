// The network by which attempts are counted: an IPv4 address, or the /64 of an IPv6 address, because one customer has a whole /64.
import { isIPv6 } from 'node:net';

/** An IPv4 address written as IPv6 counts as IPv4. A port, which some proxies add, does not count. */
export function networkOf(sent: string): string {
  const address = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(sent)?.slice(1).find(Boolean) ?? sent;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
