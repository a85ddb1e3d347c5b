// What every operation and resolver is given about the request it works for, beside the service's dependencies.
import type { Request } from 'express';
import { authenticate } from '../accounts/authenticate.ts';
import { createUserLoaders, type UserLoaders } from '../accounts/userLoaders.ts';
import { createCampaignLoaders, type CampaignLoaders } from '../campaigns/campaignLoaders.ts';
import type { Deps } from '../deps.ts';
import { createAnswerBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import { createEventLoaders, type EventLoaders } from '../sessions/read/eventLoaders.ts';
import type { Caller } from '../workspace/caller.ts';
import { createSecretLoaders, type SecretLoaders } from '../workspace/secretReveals.ts';
import { createWorkspaceLoaders, type WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';

/** Without the pool of uploads: an operation that asks for `pool` does not compile. */
export type AdminDeps = Omit<Deps, 'pool'>;

export interface AdminContext extends AdminDeps {
  /** Names the request in the log. */
  requestId: string;
  /** Where the request came from. */
  address: string;
  /** Who asks, found out once; null without a valid bearer. */
  authenticate(): Promise<Caller | null>;
  /** What everything that is read for the answer is charged to. */
  budget: AnswerBudget;
  /** Rows for nested fields, fetched once for all parents of a level. */
  loaders: UserLoaders & WorkspaceLoaders & SecretLoaders & CampaignLoaders & EventLoaders;
}

/** The context of a protected operation. */
export interface CallerContext extends AdminContext {
  caller: Caller;
  /** Whether the request asks for this of what the operation answers (`action.payload`), so it can load what is selected in its own query. */
  selects(path: string): boolean;
}

export function createContext(request: Request, deps: AdminDeps): AdminContext {
  let caller: Promise<Caller | null> | undefined;
  const budget = createAnswerBudget();
  const requestId = requestIdOf(request);
  return {
    ...deps,
    requestId,
    log: deps.log.child({ requestId }),
    address: request.ip ?? '',
    authenticate: () => (caller ??= authenticate(request.headers.authorization, deps)),
    budget,
    loaders: {
      ...createUserLoaders(deps.prisma, budget),
      ...createWorkspaceLoaders(deps.prisma, budget),
      ...createSecretLoaders(deps),
      ...createCampaignLoaders(deps.adminPool, budget),
      ...createEventLoaders(deps.adminPool, budget),
    },
  };
}
