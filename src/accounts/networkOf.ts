// What attempts from one place have in common: an IPv4 address, or the /64 that one IPv6 customer can move about in.
import { isIPv6 } from 'node:net';

/** An IPv4 address written as IPv6 is the same as without, and one with a port, as some proxies write it, as without. */
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
