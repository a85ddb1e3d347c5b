// Bounds what a network address may send without a valid bearer (schema.graphql, "Requests without a bearer").
import type { RequestHandler } from 'express';
import { networkOf, siteBounds, siteOf } from '../accounts/networkOf.ts';
import type { AdminContext } from './context.ts';

export interface StrangerLimits {
  /** Of one network address in a window. A site (/48) may send ten times as many. */
  requests: number;
  windowSeconds: number;
}

/** A hundred colleagues who all log in within one minute send some 300. */
export const defaultStrangerLimits: StrangerLimits = { requests: 600, windowSeconds: 60 };

/** Needs `response.locals.context`. It reads no body. A bearer is looked up before it is refused: an unknown service token costs a hash and a statement. */
export function boundStrangers(limits: StrangerLimits): RequestHandler {
  const waitOf = counter(limits);
  return async (_request, response, next) => {
    const context = response.locals['context'] as AdminContext;
    // While the database is away, or the pool's share is used up, nobody counts as a stranger.
    const known = await context.authenticate().then(
      (caller) => caller !== null,
      () => true,
    );
    const wait = known ? 0 : waitOf(context.address, context.now().getTime());
    if (wait === 0) return next();
    context.metrics.adminError('RATE_LIMITED');
    const error = {
      message: 'Too many requests without a valid bearer.',
      extensions: { code: 'RATE_LIMITED', retryAfterSeconds: wait },
    };
    response
      .status(429)
      .set('Retry-After', String(wait))
      .json({ errors: [error] });
  };
}

/** Counts in memory and in windows that are the same for all. Returns the seconds until the next request is let in. */
function counter({ requests, windowSeconds }: StrangerLimits): (address: string, now: number) => number {
  const counts = new Map<string, number>();
  let begun = -Infinity;
  return (address, now) => {
    const passed = now - begun;
    if (passed < 0 || passed >= windowSeconds * 1_000) {
      counts.clear();
      begun = now;
    }
    const [network, site] = [networkOf(address), siteOf(address)];
    const most = new Map([[network, requests]]);
    if (site !== network) most.set(site, siteBounds * requests);
    for (const [of, bound] of most) {
      if ((counts.get(of) ?? 0) >= bound) return Math.max(1, Math.ceil((begun + windowSeconds * 1_000 - now) / 1_000));
    }
    for (const of of most.keys()) counts.set(of, (counts.get(of) ?? 0) + 1);
    return 0;
  };
}
