// Adds the jobs that mail a reset or invitation token to the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';
import { findOrganizationOf } from './membersStore.ts';

export type PasswordMailJob = JobPayloads['sendPasswordMail'];

/**
 * When several reset mails wait for one address, or several mails of one invitation, only the latest goes out. A retried mail has a key of its own,
 * because under the shared key it would replace a later mail. Its token tells whether a later mail has replaced it.
 */
export async function addPasswordMail(client: SqlConnection, job: PasswordMailJob, runAt?: Date): Promise<void> {
  // Each organization's invitation is a mail of its own: a stranger's must not replace it.
  const of = job.membershipId ?? job.email;
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${of}`;
  const inviter = job.membershipId && (await findOrganizationOf(client, job.membershipId));
  // Whoever is invited does not wait for the mail. Organizations take turns.
  const task = { task: 'sendPasswordMail', priority: inviter ? 100 : 0 } as const;
  await addJobs(client, task, [{ payload: job, key, owner: inviter ?? of, ...(runAt && { runAt }) }]);
}
