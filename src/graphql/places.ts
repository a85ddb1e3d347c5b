// The places of requests in the admin API: so many run at once, and those that wait take turns by organization (schema.graphql, "Load").
import type { Request, RequestHandler } from 'express';
import { networkOf } from '../accounts/networkOf.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import { createLimiter, inLane, type InTurn, type LimiterBounds } from '../platform/turns.ts';
import type { AdminContext } from './context.ts';
import { failureOf } from './errors.ts';

export interface Places {
  /** From the document to the last byte of the response. */
  requests: InTurn;
  /** Of requests that have read much (answerBudget.ts): each holds rows, results and text of up to 16 MiB. */
  large: InTurn;
}

export type PlaceBounds = Record<keyof Places, Omit<LimiterBounds, 'refusal'>>;

/** Who waits longer than 1.5 s would not get a response within 2 s. A large response may take longer by itself. */
export const defaultPlaces: PlaceBounds = {
  requests: { atOnce: 32, ofOneLane: 16, longestQueue: 200, patienceMillis: 1_500 },
  large: { atOnce: 2, longestQueue: 32, patienceMillis: 10_000 },
};

export function createPlaces({ requests, large }: PlaceBounds): Places {
  const refusal = (): AppError => unavailable();
  return { requests: createLimiter({ ...requests, refusal }), large: createLimiter({ ...large, refusal }) };
}

/** A caller's lane is the organization, and a stranger's the network. It is also that of the pool and of analytics. */
export function takePlaces({ requests }: Places): RequestHandler {
  return async (request, response, next) => {
    const context = response.locals['context'] as AdminContext;
    const caller = await context.authenticate().catch(() => null);
    const lane = caller?.organizationId ?? networkOf(context.address);
    const begin = async (): Promise<void> => {
      // The client has gone while it waited: its work would run without a place.
      if (isClosed(request)) return;
      inLane(lane, next);
      await untilClosed(request);
    };
    await requests(begin, lane).catch((error: unknown) => {
      if (!(error instanceof AppError)) return next(error);
      context.metrics.adminError('UNAVAILABLE');
      const { message, extensions } = failureOf(error);
      response
        .status(503)
        .set('Retry-After', String(extensions['retryAfterSeconds']))
        .json({ errors: [{ message, extensions }] });
    });
  };
}

/** Resolves when the request may go on; it keeps its turn until its response is closed. */
export function untilTurn(inTurn: InTurn, request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): Promise<void> => {
      resolve();
      return untilClosed(request);
    };
    inTurn(begin).catch(reject);
  });
}

/** The response is written, or its client has gone. */
function isClosed({ res: response, socket }: Request): boolean {
  return !response || response.closed || socket.destroyed;
}

function untilClosed(request: Request): Promise<void> {
  return new Promise((resolve) => {
    if (isClosed(request)) resolve();
    else request.res!.once('close', resolve);
  });
}
