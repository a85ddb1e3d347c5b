// The context of a request: what operations and resolvers know about it, with the service's dependencies.
import type { Request, RequestHandler } from 'express';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { type Attempts, networkOf, siteBounds, siteOf } from '../accounts/attempts.ts';
import { authenticate } from '../accounts/authenticate.ts';
import { createUserLoaders, type UserLoaders } from '../accounts/members.ts';
import { type CampaignLoaders, createCampaignLoaders } from '../campaigns/campaignFields.ts';
import type { Deps } from '../deps.ts';
import { createLimiter, inLane, type Limiter, type LimiterBounds } from '../platform/concurrencyLimiter.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/httpServer.ts';
import { type ResponseBudget, createResponseBudget } from '../platform/responseBudget.ts';
import { createQuotaLoaders, type QuotaLoaders } from '../quotas/applicationQuotas.ts';
import { createEventLoaders, type EventLoaders } from '../sessions/read/deviceSessions.ts';
import {
  type Caller,
  createSecretLoaders,
  createWorkspaceLoaders,
  type LiveCaller,
  type SecretLoaders,
  type WorkspaceLoaders,
} from '../workspace/workspace.ts';
import { failureOf } from './errors.ts';

/** Without the pool of uploads: an operation that asks for `pool` does not compile. */
export type AdminDeps = Omit<Deps, 'pool'> & Pick<Places, 'large'>;

export interface AdminContext extends AdminDeps {
  /** The log's lines about the request carry it. */
  requestId: string;
  /** The client's network address. */
  address: string;
  /** The request's `User-Agent`, as it was sent; null without one. */
  userAgent: string | null;
  /** The caller, looked up once a request; null without a valid bearer token. */
  authenticate(): Promise<LiveCaller | null>;
  /** Aborts when the client has gone before its response. */
  signal: AbortSignal;
  /** Bounds the bytes that are read for the response. */
  budget: ResponseBudget;
  /** Bounds what the request makes the service store. */
  storing: Storing;
  /** Rows for nested fields, fetched once for all parents of a level. */
  loaders: UserLoaders & WorkspaceLoaders & SecretLoaders & CampaignLoaders & EventLoaders & QuotaLoaders;
}

/** The context of a protected operation. */
export interface CallerContext extends AdminContext {
  caller: LiveCaller;
  /** A mutation tells it what it has written for webhooks, or what others will write for it. */
  wroteDeliveries(count: number): void;
  /**
   * Whether the request selects this path below the operation's field (`action.payload`). An operation reads only
   * selected fields.
   */
  selects(path: string): boolean;
}

export function createContext(request: Request, deps: AdminDeps): AdminContext {
  let caller: Promise<LiveCaller | null> | undefined;
  const signal = untilGone(request);
  const requestId = requestIdOf(request);
  const address = request.ip ?? '';
  const storing = storingAt(address, deps.attempts);
  const budget = createResponseBudget({ signal, becomesLarge: () => untilTurn(deps.large, request) });
  return {
    ...deps,
    requestId,
    log: deps.log.child({ requestId }),
    address,
    userAgent: request.headers['user-agent'] ?? null,
    // In the lane of strangers until it is known whose bearer it is.
    authenticate: () => (caller ??= inLane(siteOf(address), () => authenticate(request.headers.authorization, deps))),
    signal,
    budget,
    storing,
    loaders: {
      ...createUserLoaders(deps.adminPool, budget),
      ...createWorkspaceLoaders(deps.prisma, budget),
      ...createSecretLoaders({ ...deps, storing }),
      ...createCampaignLoaders(deps.adminPool, budget),
      ...createEventLoaders(deps.adminPool, budget),
      ...createQuotaLoaders(deps.adminPool, budget),
    },
  };
}

function untilGone({ res: response }: Request): AbortSignal {
  const gone = new AbortController();
  response?.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

// The places of requests in the admin API: so many run at once, and those that wait take turns by user and by organization (schema.graphql, "Load").

export interface Places {
  /** Of one user, or of one network without a bearer. Whoever has a turn waits for a place of `requests`. */
  callers: Limiter;
  /** From the document to the last byte of the response. */
  requests: Limiter;
  /** Of requests that have read much (responseBudget.ts): each holds rows, results and text of up to 16 MiB. */
  large: Limiter;
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
export function untilTurn(limiter: Limiter, request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): Promise<void> => {
      resolve();
      return untilClosed(request);
    };
    limiter(begin).catch(reject);
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

// Bounds what users and service tokens make the service store by mutations (schema.graphql, "Stored bytes").

/** Throws `rate_limited`, except for what `neverRefuses`. */
export type Storing = (
  caller: Caller,
  bytes: number,
  options?: { neverRefuses?: boolean },
) => ReturnType<Attempts['storing']>;

/** The service tokens of an organization count together: an admin can make many. */
export function storingAt(address: string, attempts: Attempts): Storing {
  return ({ userId, organizationId, service }, bytes, options) => {
    const account = service ? `service tokens of ${organizationId}` : userId;
    return attempts.storing({ account, address }, bytes, options);
  };
}

/** Allowed also to a user who has stored all bytes of the day: each deletes or ends something, or adds a login, and logins are bounded. */
const neverRefused = new Set<string>([
  ...(['accountDelete', 'apiKeyRevoke', 'applicationDelete', 'logout', 'logoutEverywhere'] as const),
  ...(['organizationLeave', 'organizationSwitch', 'projectDelete', 'serviceTokenRevoke'] as const),
  ...(['sessionRevoke', 'userRemove', 'webhookDelete'] as const),
] satisfies (keyof MutationResolvers)[]);

/** Delivered to devices. A move to any other state only stops a campaign. */
const delivered = new Set<unknown>(['ACTIVE', 'SCHEDULED']);

/** Rows with their index entries, the line of the audit log, and jobs. */
const rowBytes = 4_096;
/** Of a move to a delivered state also the move by the clock that stops the campaign later, with its events. */
const moveBytes = 65_536;
/** An event for a webhook, with its index entries. */
const deliveryBytes = 1_024;
/** For one mutation. Otherwise an edit of a product with many buyers would use up the day. */
const mostDeliveryBytes = 64 * 1_048_576;
/** A campaign's text is in its row, in a version that devices get, and before and after in its history. */
const copies = 4;

type Operation = (args: unknown, context: CallerContext) => unknown;

export function boundStored(field: string, operation: Operation): Operation {
  if (neverRefused.has(field)) return operation;
  const isMove = field === ('campaignChangeState' satisfies keyof MutationResolvers);
  return async (args, context) => {
    const given = lengthOf(args);
    const stops = isMove && !delivered.has((args as { state: unknown }).state);
    const bytes = (isMove && !stops ? moveBytes : rowBytes) + copies * given;
    const { storedMore } = await context.storing(context.caller, bytes, { neverRefuses: stops });
    let deliveries = 0;
    const wroteDeliveries = (count: number): void => void (deliveries += count);
    const result = await operation(args, { ...context, wroteDeliveries });
    // A short edit keeps a version of the whole campaign.
    const more = copies * Math.max(0, lengthOf(result) - given);
    const further = more + Math.min(mostDeliveryBytes, deliveries * deliveryBytes);
    if (further > 0) await storedMore(further);
    return result;
  };
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

// Bounds what a network address may send without a valid bearer (schema.graphql, "Requests without a bearer").

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
