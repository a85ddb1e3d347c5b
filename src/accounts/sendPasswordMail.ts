// The job behind resetPassword and userInvite: opens the token and mails it, once as far as that can be known.
import type { Pool } from 'pg';
import { MailRefused, type SendMail } from '../platform/mailer.ts';
import type { MailOutcome } from '../platform/observability/jobMetrics.ts';
import type { Log } from '../platform/observability/log.ts';
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import { passwordMail } from './passwordMail.ts';
import { addPasswordMail, type PasswordMailJob } from './passwordMailJobs.ts';
import { expiryOf, type PasswordTokens } from './passwordTokens.ts';
import { isPasswordToken, markPasswordTokenMailed, openPasswordToken } from './passwordTokensStore.ts';

export interface PasswordMailDeps {
  pool: Pool;
  log: Log;
  passwordTokens: PasswordTokens;
  sendMail: SendMail;
  dashboardUrl: string;
  mailBackoff: Backoff;
  /** Told of each attempt that came to an end. */
  mailEnded(outcome: MailOutcome): void;
  now(): Date;
}

/** 5 s, 10 s, 20 s, … up to 10 minutes: used up after a day. */
export const defaultMailBackoff: Backoff = { firstMillis: 5_000, longestMillis: 600_000, attempts: 150 };

/**
 * A mail that the server has taken is marked and not sent again. Between its reply and the mark there is a gap that
 * nothing closes: when the reply is lost, or the process dies there, nobody knows whether the mail is on its way, and
 * it is sent again, because a second copy harms less than none. Both copies are the same, with one Message-ID, by which
 * many mail servers and programs show only one, and with one token.
 */
export async function sendPasswordMail(
  job: PasswordMailJob,
  deps: PasswordMailDeps,
  signal: AbortSignal,
): Promise<void> {
  const { mailId, purpose, email } = job;
  const { pool, passwordTokens, dashboardUrl, now } = deps;
  const token = await chooseToken(mailId, deps);
  const hash = passwordTokens.hashOf(token);
  const expiresAt = expiryOf(purpose, now());
  const opened = await openPasswordToken(pool, { hash, purpose, email, now: now(), expiresAt });
  if (!opened) return;
  const content = passwordMail({ purpose, email, organizationName: opened.organizationName, dashboardUrl, token });
  try {
    await deps.sendMail({ id: mailId, to: email, date: opened.createdAt, ...content }, signal);
  } catch (error) {
    // A mail that was cut off by our own shutdown says nothing about the mail server: the queue runs the job again.
    signal.throwIfAborted();
    return sendLater(job, error, deps);
  }
  deps.mailEnded('sent');
  await markPasswordTokenMailed(pool, { hash, now: now() });
}

/** A mail that was begun under another key goes on with its token, so that it is still one mail. */
async function chooseToken(mailId: string, { pool, passwordTokens }: PasswordMailDeps): Promise<string> {
  for (const candidate of passwordTokens.otherTokensOf(mailId)) {
    if (await isPasswordToken(pool, passwordTokens.hashOf(candidate))) return candidate;
  }
  return passwordTokens.tokenOf(mailId);
}

/** The address stays out of the log, and so does the server's text, which may repeat it. */
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
