// The job that mails a reset token, which it opens, or an invitation's, which it renews: once, unless the server's reply is lost.
import type { Pool } from 'pg';
import type { Backoff } from '../platform/retryDelay.ts';
import { nextAttempt, tokenOfMail, type MailDeps } from './mailAgain.ts';
import { passwordMail } from './passwordMail.ts';
import { addPasswordMail, type PasswordMailJob } from './passwordMailJobs.ts';
import { expiryOf } from './passwordTokens.ts';
import {
  isPasswordToken,
  markPasswordTokenMailed,
  openResetToken,
  renewInvitationToken,
} from './passwordTokensStore.ts';

export interface PasswordMailDeps extends MailDeps {
  pool: Pool;
}

/** 5 s, 10 s, 20 s, … up to 10 minutes. The attempts last for a day. */
export const defaultMailBackoff: Backoff = { firstMillis: 5_000, longestMillis: 600_000, attempts: 150 };

/**
 * The job marks a mail that the mail server has taken, and does not send it again. When the server's reply is lost, or
 * the process dies before the mark, the job cannot know whether the server took the mail. It then sends the mail again,
 * because a second copy harms less than none. Both copies have the same token and the same Message-ID, by which many
 * mail servers and programs show only one.
 */
export async function sendPasswordMail(
  job: PasswordMailJob,
  deps: PasswordMailDeps,
  signal: AbortSignal,
): Promise<void> {
  const { mailId, purpose, email, takenBack = false } = job;
  const { pool, passwordTokens, dashboardUrl, now } = deps;
  const token = await tokenOfMail(mailId, deps, (hash) => isPasswordToken(pool, hash));
  const hash = passwordTokens.hashOf(token);
  const expiresAt = expiryOf(purpose, now());
  const opened =
    purpose === 'reset'
      ? await openResetToken(pool, { hash, email, now: now(), expiresAt })
      : await renewInvitationToken(pool, { hash, expiresAt });
  if (!opened) return;
  const { organizationName = '' } = opened;
  const content = passwordMail({ purpose, email, organizationName, dashboardUrl, token, takenBack });
  try {
    await deps.sendMail({ id: mailId, to: email, date: opened.createdAt, ...content }, signal);
  } catch (error) {
    // A shutdown of this process says nothing about the mail server. The queue runs the job again.
    signal.throwIfAborted();
    const next = nextAttempt(job, error, deps);
    if (next) await addPasswordMail(pool, next.job, next.runAt);
    return;
  }
  deps.mailEnded('sent');
  await markPasswordTokenMailed(pool, { hash, now: now() });
}
