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

/** Of several mails of one kind to one address that wait for the mail server, only the latest goes out. */
export async function addPasswordMail(
  client: Pick<ClientBase, 'query'>,
  job: PasswordMailJob,
  runAt?: Date,
): Promise<void> {
  const key = `sendPasswordMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendPasswordMail' }, [{ payload: job, key, ...(runAt && { runAt }) }]);
}
