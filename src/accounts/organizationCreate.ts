// mutation organizationCreate: founds an organization of which the user is the owner, and starts a session in it.
import type { MutationOrganizationCreateArgs, OrganizationCreateInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import { type JoiningNeeds, lockJoiningUser } from './loginChallenges.ts';
import { finishLogin, type LoggedIn, type LoginNeeds, startLogin } from './startLogin.ts';
import { foundOrganization } from './members.ts';

type Needs = LoginNeeds & JoiningNeeds;

const mostOwned = 100;

/** Throws `validation_failed`, `invalid_token` (the challenge), `rate_limited`. */
export async function organizationCreate({ input }: MutationOrganizationCreateArgs, needs: Needs): Promise<LoggedIn> {
  const { adminPool, address, now } = needs;
  const account = input.challenge ?? (await needs.authenticate())?.email ?? '';
  await needs.attempts({ mutation: 'organizationCreate', account, address });
  const name = read(input);
  const organizationId = newId();
  const { entry, tokens } = await inTransaction(adminPool, async (transaction) => {
    const { id: userId, email, after } = await lockJoiningUser(transaction, input.challenge, needs);
    const count = await transaction.prisma.membership.count({ where: { userId, role: 'owner' } });
    assertRoom({ count, most: mostOwned, path: 'input', objects: 'organizations' });
    await foundOrganization(transaction, { id: organizationId, name, userId, now: now() });
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
