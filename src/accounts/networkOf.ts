// The networks by which strangers are counted and take turns: an IPv4 address, or the /64 and the /48 of an IPv6 address.
import { isIP, isIPv6 } from 'node:net';

/** Of an IPv6 address the /64, because one customer has a whole one. An IPv4 address written as IPv6 counts as IPv4. A port, which some proxies add, does not count. */
export function networkOf(sent: string): string {
  const address = addressOf(sent);
  return isIPv6(address) ? `${groupsOf(address, 4)}::/64` : address;
}

/**
 * For turns, and for the higher bounds beside those of a network: the /48 of an IPv6 address, because one customer may have
 * 65,536 networks of /64. An IPv4 address stands for itself.
 */
export function siteOf(sent: string): string {
  const address = addressOf(sent);
  return isIPv6(address) ? `${groupsOf(address, 3)}::/48` : address;
}

/** What a site may do against what one of its networks may. An IPv4 address has the bounds of a network alone. */
export const siteBounds = 10;

/**
 * For the log, which holds no address: the /24 of an IPv4 address and the /48 of an IPv6 address, which many customers
 * share. A proxy may pass on what a client has sent, so any other text is `unknown`.
 */
export function loggedNetwork(sent: string): string {
  const address = addressOf(sent);
  if (isIP(address) === 0) return 'unknown';
  return isIPv6(address) ? `${groupsOf(address, 3)}::/48` : address.replace(/\d+$/, '0/24');
}

function addressOf(sent: string): string {
  const address = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(sent)?.slice(1).find(Boolean) ?? sent;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The first groups of an IPv6 address, in one spelling. */
function groupsOf(address: string, count: number): string {
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return groups
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
