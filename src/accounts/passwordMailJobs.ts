// The jobs that mail a reset or invitation token: how they are put into the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

export type PasswordMailJob = JobPayloads['sendPasswordMail'];

/**
 * Of several mails of one kind to one address that were not begun yet, only the latest goes out. A mail that comes again
 * has a key of its own: under the shared one it would take the place of a later mail. Whether it has been overtaken is
 * for its token to say.
 */
export async function addPasswordMail(client: SqlConnection, job: PasswordMailJob, runAt?: Date): Promise<void> {
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendPasswordMail' }, [{ payload: job, key, ...(runAt && { runAt }) }]);
}
