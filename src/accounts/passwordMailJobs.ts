// Adds the jobs that mail a reset or invitation token to the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

export type PasswordMailJob = JobPayloads['sendPasswordMail'];

/**
 * When several mails of one kind wait for one address, only the latest goes out. A retried mail has a key of its own,
 * because under the shared key it would replace a later mail. Its token tells whether a later mail has replaced it.
 */
export async function addPasswordMail(client: SqlConnection, job: PasswordMailJob, runAt?: Date): Promise<void> {
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendPasswordMail' }, [{ payload: job, key, ...(runAt && { runAt }) }]);
}
