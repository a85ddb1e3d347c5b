// Adds the jobs that mail a reset or invitation token to the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

export type PasswordMailJob = JobPayloads['sendPasswordMail'];

/**
 * When several reset mails wait for one address, or several mails of one invitation, only the latest goes out. A retried mail has a key of its own,
 * because under the shared key it would replace a later mail. Its token tells whether a later mail has replaced it.
 */
export async function addPasswordMail(client: SqlConnection, job: PasswordMailJob, runAt?: Date): Promise<void> {
  // Each organization's invitation is a mail of its own: a stranger's must not replace it.
  const of = job.membershipId ?? job.email;
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${of}`;
  await addJobs(client, { task: 'sendPasswordMail' }, [{ payload: job, key, ...(runAt && { runAt }) }]);
}
