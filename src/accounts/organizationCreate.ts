// mutation organizationCreate: founds an organization of which the user is the owner, and starts a session in it.
import type { MutationOrganizationCreateArgs, OrganizationCreateInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import { insertOrganization } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { lockEntrant, type EntrantNeeds } from './loginChallenges.ts';
import {
  finishLogin,
  type FinishNeeds,
  type LoggedIn,
  type LoginDeps,
  type LoginOrigin,
  startLogin,
} from './startLogin.ts';
import { countOwned, insertMembership } from './members.ts';

interface Needs extends FinishNeeds, LoginDeps, LoginOrigin, EntrantNeeds {
  attempts: Attempts;
}

const mostOwned = 100;

/** Throws `validation_failed`, `invalid_token` (the challenge), `rate_limited`. */
export async function organizationCreate({ input }: MutationOrganizationCreateArgs, needs: Needs): Promise<LoggedIn> {
  const { adminPool, address, now } = needs;
  const account = input.challenge ?? (await needs.authenticate())?.email ?? '';
  await needs.attempts({ mutation: 'organizationCreate', account, address });
  const name = read(input);
  const organizationId = newId();
  const { entry, tokens } = await inTransaction(adminPool, async (transaction) => {
    const { id: userId, email, after } = await lockEntrant(transaction, input.challenge, needs);
    const count = await countOwned(transaction, userId);
    assertRoom({ count, most: mostOwned, path: 'input', objects: 'organizations' });
    await insertOrganization(transaction, { id: organizationId, name, now: now() });
    await insertMembership(transaction, { id: newId(), organizationId, userId, role: 'owner', now: now() });
    const started = await startLogin(transaction, { userId, organizationId, after }, needs);
    if (!started) throw new AppError('invalid_token', undefined);
    const line = { action: 'organizationCreate', objectType: 'organization', objectId: organizationId } as const;
    await audit(transaction, { organizationId, email }, line);
    return { entry: { userId, organizationId }, tokens: started };
  });
  return finishLogin(tokens, entry, needs);
}

function read({ name }: EveryField<OrganizationCreateInput, Record<'name' | 'challenge', true>>): string {
  const rules = inputRules();
  const result = rules.name('input.name', name);
  rules.assert();
  return result;
}
