// mutation resetPassword: puts a job into the queue, whoever the address belongs to; only the job looks.
import type { Pool } from 'pg';
import type { MutationResetPasswordArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { newId } from '../platform/newId.ts';
import type { Attempts } from './attempts.ts';
import { emailForm, readEmail } from './emailAddress.ts';
import { addPasswordMail } from './passwordMailJobs.ts';

interface Needs {
  adminPool: Pool;
  attempts: Attempts;
  address: string;
}

/** Always true, after the same work for every address. Throws `validation_failed` (no e-mail address), `rate_limited`. */
export async function resetPassword(
  { input }: MutationResetPasswordArgs,
  { adminPool, attempts, address }: Needs,
): Promise<boolean> {
  await attempts({ mutation: 'resetPassword', account: emailForm(input.email), address });
  const rules = inputRules();
  const email = readEmail(rules, 'input.email', input.email);
  rules.assert();
  await addPasswordMail(adminPool, { mailId: newId(), purpose: 'reset', email });
  return true;
}
