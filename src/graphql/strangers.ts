// Bounds what a network address may send without a valid bearer (schema.graphql, "Requests without a bearer").
import type { RequestHandler } from 'express';
import { networkOf } from '../accounts/networkOf.ts';
import type { AdminContext } from './context.ts';

export interface StrangerLimits {
  /** Of one network address in a window. */
  requests: number;
  windowSeconds: number;
}

/** A hundred colleagues who all log in within one minute send some 300. */
export const defaultStrangerLimits: StrangerLimits = { requests: 600, windowSeconds: 60 };

/** Needs `response.locals.context`. It reads no body: a refusal costs next to nothing. */
export function boundStrangers(limits: StrangerLimits): RequestHandler {
  const waitOf = counter(limits);
  return async (_request, response, next) => {
    const context = response.locals['context'] as AdminContext;
    // While the database is away nobody counts as a stranger.
    const known = await context.authenticate().then(
      (caller) => caller !== null,
      () => true,
    );
    const wait = known ? 0 : waitOf(networkOf(context.address), context.now().getTime());
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
function counter({ requests, windowSeconds }: StrangerLimits): (network: string, now: number) => number {
  const counts = new Map<string, number>();
  let begun = -Infinity;
  return (network, now) => {
    const passed = now - begun;
    if (passed < 0 || passed >= windowSeconds * 1_000) {
      counts.clear();
      begun = now;
    }
    const count = (counts.get(network) ?? 0) + 1;
    if (count > requests) return Math.max(1, Math.ceil((begun + windowSeconds * 1_000 - now) / 1_000));
    counts.set(network, count);
    return 0;
  };
}
