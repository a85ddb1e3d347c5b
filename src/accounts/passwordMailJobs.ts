// The jobs that mail a reset or invitation token: what they carry and how they are put into the queue.
import type { ClientBase } from 'pg';
import { addJobs } from '../platform/jobQueue.ts';
import type { PasswordTokenPurpose } from './passwordTokens.ts';

export interface PasswordMailJob {
  /** Names the mail, and with it its token, which is in no job. */
  mailId: string;
  purpose: PasswordTokenPurpose;
  /** Whoever has this address when the job runs; perhaps nobody. */
  email: string;
  /** Failed attempts so far; absent: none. */
  attempt?: number;
}

/**
 * Of several mails of one kind to one address that were not begun yet, only the latest goes out. A mail that comes again
 * has a key of its own: under the shared one it would take the place of a later mail. Whether it has been overtaken is
 * for its token to say.
 */
export async function addPasswordMail(
  client: Pick<ClientBase, 'query'>,
  job: PasswordMailJob,
  runAt?: Date,
): Promise<void> {
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendPasswordMail' }, [{ payload: job, key, ...(runAt && { runAt }) }]);
}
