// The context of a request: what operations and resolvers know about it, with the service's dependencies.
import type { Request } from 'express';
import { authenticate } from '../accounts/authenticate.ts';
import { siteOf } from '../accounts/networkOf.ts';
import { createUserLoaders, type UserLoaders } from '../accounts/userLoaders.ts';
import { createCampaignLoaders, type CampaignLoaders } from '../campaigns/campaignLoaders.ts';
import type { Deps } from '../deps.ts';
import { createAnswerBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import { inLane } from '../platform/turns.ts';
import { createQuotaLoaders, type QuotaLoaders } from '../quotas/applicationQuotas.ts';
import { createEventLoaders, type EventLoaders } from '../sessions/read/eventLoaders.ts';
import type { LiveCaller } from '../workspace/caller.ts';
import { untilTurn, type Places } from './places.ts';
import { storingAt, type Storing } from './storedBytes.ts';
import { createSecretLoaders, type SecretLoaders } from '../workspace/secretReveals.ts';
import { createWorkspaceLoaders, type WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';

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
  budget: AnswerBudget;
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
  const budget = createAnswerBudget({ signal, becomesLarge: () => untilTurn(deps.large, request) });
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
