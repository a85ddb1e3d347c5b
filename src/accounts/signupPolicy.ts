// Who may sign up: everybody, the first user, or nobody (schema.graphql, "Sign-up").
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { hasUser, lockFirstUser } from './firstUserStore.ts';

export type SignupPolicy = 'open' | 'first' | 'closed';

/** Throws `signup_closed`. Asked before the password's costly hash. */
export async function assertMaySignUp(connection: SqlConnection, policy: SignupPolicy): Promise<void> {
  if (policy === 'open') return;
  if (policy === 'closed' || (await hasUser(connection))) throw new AppError('signup_closed', undefined);
}

/** The same under a lock: of two first users at once, the second finds the first. Throws `signup_closed`. */
export async function holdFirstPlace(transaction: Transaction, policy: SignupPolicy): Promise<void> {
  if (policy === 'first') await lockFirstUser(transaction);
  await assertMaySignUp(transaction, policy);
}
