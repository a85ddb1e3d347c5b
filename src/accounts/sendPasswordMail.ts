// The job of resetPassword and userInvite: opens the token and mails it, once unless the mail server's reply is lost.
import type { Pool } from 'pg';
import { MailRefused, type SendMail } from '../platform/mailer.ts';
import type { MailOutcome } from '../platform/observability/jobMetrics.ts';
import type { Log } from '../platform/observability/log.ts';
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import { passwordMail } from './passwordMail.ts';
import { addPasswordMail, type PasswordMailJob } from './passwordMailJobs.ts';
import { expiryOf, type PasswordTokens } from './passwordTokens.ts';
import {
  isPasswordToken,
  markPasswordTokenMailed,
  openResetToken,
  renewInvitationToken,
} from './passwordTokensStore.ts';

export interface PasswordMailDeps {
  pool: Pool;
  log: Log;
  passwordTokens: PasswordTokens;
  sendMail: SendMail;
  dashboardUrl: string;
  mailBackoff: Backoff;
  /** Called with the outcome after each attempt. */
  mailEnded(outcome: MailOutcome): void;
  now(): Date;
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
  const token = await chooseToken(mailId, deps);
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
    return sendLater(job, error, deps);
  }
  deps.mailEnded('sent');
  await markPasswordTokenMailed(pool, { hash, now: now() });
}

/** A mail that began under another key keeps its token, so that a retry sends the same mail. */
async function chooseToken(mailId: string, { pool, passwordTokens }: PasswordMailDeps): Promise<string> {
  for (const candidate of passwordTokens.otherTokensOf(mailId)) {
    if (await isPasswordToken(pool, passwordTokens.hashOf(candidate))) return candidate;
  }
  return passwordTokens.tokenOf(mailId);
}

/** The log gets neither the address nor the server's text, which may repeat the address. */
async function sendLater(job: PasswordMailJob, error: unknown, deps: PasswordMailDeps): Promise<void> {
  const { pool, log, mailBackoff, mailEnded, now } = deps;
  const { mailId, purpose } = job;
  const attempt = (job.attempt ?? 0) + 1;
  const { code, command, responseCode } = error as { code?: unknown; command?: unknown; responseCode?: unknown };
  const facts = { mailId, purpose, attempt, code, command, responseCode };
  const delay = error instanceof MailRefused ? null : retryDelay(attempt, Math.random(), mailBackoff);
  mailEnded(delay === null ? 'given_up' : 'postponed');
  if (delay === null) {
    log.error(facts, 'a mail was given up');
    return;
  }
  log.warn({ ...facts, delayMillis: delay }, 'a mail was not sent and will be tried again');
  await addPasswordMail(pool, { ...job, attempt }, new Date(now().getTime() + delay));
}
