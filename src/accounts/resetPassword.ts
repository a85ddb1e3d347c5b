// mutation resetPassword: adds a job for every address, and only the job looks for an account (docs/decisions/unproven-accounts.md).
import type { Pool } from 'pg';
import type { MutationResetPasswordArgs } from '../../generated/graphql.ts';
import { inputRules, newId } from '../platform/inputRules.ts';
import type { Attempts } from './attempts.ts';
import { emailForm, readEmail } from './emailAddress.ts';
import { addPasswordMail } from './mails.ts';

interface Needs {
  adminPool: Pool;
  attempts: Attempts;
  address: string;
}

/** Returns true after the same work for every address. Throws `validation_failed` (no e-mail address), `rate_limited` (the network address). */
export async function resetPassword(
  { input }: MutationResetPasswordArgs,
  { adminPool, attempts, address }: Needs,
): Promise<boolean> {
  const mayMail = await attempts.mayMail({ mutation: 'resetPassword', account: emailForm(input.email), address });
  const rules = inputRules();
  const email = readEmail(rules, 'input.email', input.email);
  rules.assert();
  // Beyond two the mails of the last minutes are there, with links that still work: nobody can lock the reset.
  if (mayMail) await addPasswordMail(adminPool, { mailId: newId(), purpose: 'reset', email });
  return true;
}
