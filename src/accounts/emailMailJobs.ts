// Opens the tokens that prove a mailbox, and adds the jobs that mail them and the notice of a change.
import { newId } from '../platform/newId.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';
import { emailTokenExpiry, type EmailTokenPurpose } from './emailTokens.ts';
import { endEmailTokens, insertEmailToken } from './emailTokensStore.ts';
import type { PasswordTokens } from './passwordTokens.ts';

export type EmailMailJob = JobPayloads['sendEmailMail'];

/** When several mails of one kind wait for one address, only the latest goes out. A retried mail has a key of its own. */
export async function addEmailMail(client: SqlConnection, job: EmailMailJob, runAt?: Date): Promise<void> {
  const key = job.attempt ? `sendEmailMail:${job.mailId}` : `sendEmailMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendEmailMail' }, [{ payload: job, key, owner: job.email, ...(runAt && { runAt }) }]);
}

export interface MailedProof {
  userId: string;
  purpose: EmailTokenPurpose;
  /** The address whose mailbox the token proves. */
  email: string;
}

/** Only the latest token of a purpose works. The caller holds the lock of the user's row. */
export async function mailEmailToken(
  transaction: Transaction,
  proof: MailedProof,
  { passwordTokens, now }: { passwordTokens: PasswordTokens; now(): Date },
): Promise<void> {
  const mailId = newId();
  const { userId, purpose, email } = proof;
  const at = now();
  await endEmailTokens(transaction, { userId, purpose, now: at });
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  await insertEmailToken(transaction, { ...proof, hash, now: at, expiresAt: emailTokenExpiry(purpose, at) });
  await addEmailMail(transaction, { mailId, purpose, email });
}

/** Tells the account's present address that another is to take its place. */
export async function mailChangeNotice(
  transaction: Transaction,
  { email, newEmail }: { email: string; newEmail: string },
): Promise<void> {
  await addEmailMail(transaction, { mailId: newId(), purpose: 'notice', email, newEmail });
}
