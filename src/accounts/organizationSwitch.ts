// mutation organizationSwitch: starts a session in another organization of the caller. The session of the bearer lives on.
import type { MutationOrganizationSwitchArgs } from '../../generated/graphql.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { finishLogin, type LoggedIn, type LoginNeeds, startLogin } from './startLogin.ts';

interface Needs extends LoginNeeds {
  caller: LiveCaller;
}

/** Throws `not_found` where the caller is not active in the organization. */
export async function organizationSwitch({ id }: MutationOrganizationSwitchArgs, needs: Needs): Promise<LoggedIn> {
  const { userId, sessionId } = needs.caller;
  const entry = { userId, organizationId: id, after: sessionId };
  const tokens = await inTransaction(needs.adminPool, (transaction) => startLogin(transaction, entry, needs));
  if (!tokens) throw new AppError('not_found', undefined);
  return finishLogin(tokens, entry, needs);
}
