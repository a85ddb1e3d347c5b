// The places of requests in the admin API: so many run at once, and those that wait take turns by user and by organization (schema.graphql, "Load").
import type { Request, RequestHandler } from 'express';
import { siteOf } from '../accounts/networkOf.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import { createLimiter, inLane, type InTurn, type LimiterBounds } from '../platform/turns.ts';
import type { LiveCaller } from '../workspace/caller.ts';
import type { AdminContext } from './context.ts';
import { failureOf } from './errors.ts';

export interface Places {
  /** Of one user, or of one network without a bearer. Whoever has a turn waits for a place of `requests`. */
  callers: InTurn;
  /** From the document to the last byte of the response. */
  requests: InTurn;
  /** Of requests that have read much (answerBudget.ts): each holds rows, results and text of up to 16 MiB. */
  large: InTurn;
}

export type PlaceBounds = Record<keyof Places, Omit<LimiterBounds, 'refusal'>>;

/**
 * All of them share one thread: a request waits at each of its steps for those that run beside it. So one user runs few at
 * once, and the others wait for that user's own. A page of the dashboard sends ten together. Who waits for others longer
 * than 1.5 s would not get a response within 2 s. A large response may take longer by itself.
 */
export const defaultPlaces: PlaceBounds = {
  callers: {
    ...{ atOnce: Infinity, ofOneLane: 6, patienceMillis: 5_000 },
    ...{ longestQueue: 1_000, longestOfOneLane: 100 },
  },
  requests: { atOnce: 32, ofOneLane: 16, longestQueue: 200, patienceMillis: 1_500 },
  large: { atOnce: 2, ofOneLane: 1, longestQueue: 32, patienceMillis: 10_000 },
};

export function createPlaces({ callers, requests, large }: PlaceBounds): Places {
  const refusal = (): AppError => unavailable();
  return {
    callers: createLimiter({ ...callers, refusal }),
    requests: createLimiter({ ...requests, refusal }),
    large: createLimiter({ ...large, refusal }),
  };
}

/** Everything that a request does waits in its lane: for a place, for the pool and for analytics. */
export function takePlaces({ callers, requests }: Places): RequestHandler {
  const laneOf = createLanes();
  return async (request, response, next) => {
    const context = response.locals['context'] as AdminContext;
    const caller = await context.authenticate().catch(() => null);
    const begin = (lane: string) => async (): Promise<void> => {
      // The client has gone while it waited: its work would run without a place.
      if (isClosed(request)) return;
      inLane(lane, next);
      await untilClosed(request);
    };
    const name = callerOf(caller, context.address);
    const taken = laneOf(name, caller?.organizationId ?? name);
    await callers(() => requests(begin(taken.lane), taken.lane), name)
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) return next(error);
        context.metrics.adminError('UNAVAILABLE');
        const { message, extensions } = failureOf(error);
        response
          .status(503)
          .set('Retry-After', String(extensions['retryAfterSeconds']))
          .json({ errors: [{ message, extensions }] });
      })
      .finally(taken.leave);
  };
}

/** The service tokens of an organization are one caller: an admin can make many. So are the networks of one customer. */
function callerOf(caller: LiveCaller | null, address: string): string {
  if (!caller) return siteOf(address);
  return caller.service ? `service tokens of ${caller.organizationId}` : caller.userId;
}

/**
 * The lane is the organization's. A user may have many organizations, and has one lane at a time: that of the organization
 * of the first of the requests under way.
 */
function createLanes() {
  const lanes = new Map<string, { lane: string; requests: number }>();
  return (caller: string, own: string): { lane: string; leave(): void } => {
    const shared = lanes.get(caller) ?? { lane: own, requests: 0 };
    shared.requests += 1;
    lanes.set(caller, shared);
    const leave = (): void => {
      shared.requests -= 1;
      if (shared.requests === 0) lanes.delete(caller);
    };
    return { lane: shared.lane, leave };
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
