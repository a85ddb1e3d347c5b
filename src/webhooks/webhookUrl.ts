// The rules for a webhook's URL (pure), held when it is stored and again when an event is sent.
import { isIP } from 'node:net';
import { isLoopback, isPublicAddress } from './publicAddress.ts';

export interface UrlRules {
  /** False in development: a receiver may then be `http:`, and on this machine. */
  production: boolean;
}

/** Null for an address that an event may go to, or what is wrong with it. */
export function faultOfUrl(text: string, rules: UrlRules): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  if (protocol !== 'https:' && (rules.production || protocol !== 'http:')) return 'must be an https:// URL';
  if (username || password || hash) return 'must have no user, password or fragment';
  if (port === '0') return 'must not have the port 0';
  // The parser has written every spelling of an address (`0x7f.1`, `2130706433`) in the usual one.
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowedAddress(host, rules) ? 'must be an address of the public internet' : null;
}

export function isAllowedAddress(address: string, { production }: UrlRules): boolean {
  return isPublicAddress(address) || (!production && isLoopback(address));
}
