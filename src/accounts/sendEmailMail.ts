// The job of signup and emailChange: mails the token that proves a mailbox, or the notice to the account's present address.
import type { Pool } from 'pg';
import type { Mail } from '../platform/mailer.ts';
import { emailMail } from './emailMail.ts';
import { addEmailMail, type EmailMailJob } from './emailMailJobs.ts';
import { emailTokenExpiry } from './emailTokens.ts';
import { isEmailToken, markEmailTokenMailed, renewEmailToken } from './emailTokensStore.ts';
import { nextAttempt, tokenOfMail, type MailDeps } from './mailAgain.ts';

export interface EmailMailDeps extends MailDeps {
  pool: Pool;
}

interface Prepared extends Pick<Mail, 'subject' | 'text' | 'date'> {
  /** Of the token in the mail; null in a notice. */
  hash: Buffer | null;
}

/** As at sendPasswordMail, a mail whose delivery is uncertain goes out again, with the same token and Message-ID. */
export async function sendEmailMail(job: EmailMailJob, deps: EmailMailDeps, signal: AbortSignal): Promise<void> {
  const prepared = job.purpose === 'notice' ? notice(job, deps) : await proof(job, deps);
  if (!prepared) return;
  const { hash, ...content } = prepared;
  try {
    await deps.sendMail({ id: job.mailId, to: job.email, ...content }, signal);
  } catch (error) {
    // A shutdown of this process says nothing about the mail server. The queue runs the job again.
    signal.throwIfAborted();
    const next = nextAttempt(job, error, deps);
    if (next) await addEmailMail(deps.pool, next.job, next.runAt);
    return;
  }
  deps.mailEnded('sent');
  if (hash) await markEmailTokenMailed(deps.pool, { hash, now: deps.now() });
}

function notice({ email, newEmail = '' }: EmailMailJob, { now }: EmailMailDeps): Prepared {
  return { ...emailMail({ kind: 'notice', email, newEmail }), date: now(), hash: null };
}

/**
 * Only here, after the response, does anything depend on whether another account has the address. Null when the token has
 * been sent or has ended.
 */
async function proof(job: EmailMailJob, deps: EmailMailDeps): Promise<Prepared | null> {
  const { purpose, email } = job;
  if (purpose === 'notice') return null;
  const { pool, passwordTokens, dashboardUrl, now } = deps;
  const token = await tokenOfMail(job.mailId, deps, (hash) => isEmailToken(pool, hash));
  const hash = passwordTokens.hashOf(token);
  const opened = await renewEmailToken(pool, { hash, expiresAt: emailTokenExpiry(purpose, now()) });
  if (!opened) return null;
  const kind = opened.inUse ? 'in_use' : purpose;
  return { ...emailMail({ kind, email, dashboardUrl, token }), date: opened.createdAt, hash };
}
