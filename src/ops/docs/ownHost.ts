// Refuses requests to the documentation pages by a foreign name: a web page whose name leads to this address is of no foreign origin for a browser.
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';

/**
 * Somebody on the internet can let a name of theirs lead to 127.0.0.1 (DNS rebinding), but no address, no name without a dot
 * and no name below `localhost`.
 */
export const refuseForeignHosts: RequestHandler = (request, response, next) => {
  if (isOwnHost(request.headers.host ?? '')) return next();
  response.status(421).json({ detail: 'Open these pages by an IP address or by localhost.' });
};

function isOwnHost(host: string): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host)?.slice(1).find(Boolean)?.toLowerCase() ?? '';
  return isIP(name) !== 0 || /^[^.]+$/.test(name) || name.endsWith('.localhost');
}
