// What the jobs that send mails share: the token of a mail that runs again, and the retry of a mail that was not sent.
import { MailRefused, type SendMail } from '../platform/mailer.ts';
import type { MailOutcome } from '../platform/observability/jobMetrics.ts';
import type { Log } from '../platform/observability/log.ts';
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import type { PasswordTokens } from './passwordTokens.ts';

export interface MailDeps {
  log: Log;
  passwordTokens: PasswordTokens;
  sendMail: SendMail;
  dashboardUrl: string;
  mailBackoff: Backoff;
  /** Called with the outcome after each attempt. */
  mailEnded(outcome: MailOutcome): void;
  now(): Date;
}

/** A mail that began under another key keeps its token, so that a retry sends the same mail. */
export async function tokenOfMail(
  mailId: string,
  { passwordTokens }: Pick<MailDeps, 'passwordTokens'>,
  isKnown: (hash: Buffer) => Promise<boolean>,
): Promise<string> {
  for (const candidate of passwordTokens.otherTokensOf(mailId)) {
    if (await isKnown(passwordTokens.hashOf(candidate))) return candidate;
  }
  return passwordTokens.tokenOf(mailId);
}

interface MailJob {
  mailId: string;
  purpose: string;
  attempt?: number;
}

/** Resolves to the next attempt; null when the mail is given up. The log gets neither the address nor the server's text, which may repeat the address. */
export function nextAttempt<Job extends MailJob>(
  job: Job,
  error: unknown,
  { log, mailBackoff, mailEnded, now }: MailDeps,
): { job: Job; runAt: Date } | null {
  const { mailId, purpose } = job;
  const attempt = (job.attempt ?? 0) + 1;
  const { code, command, responseCode } = error as { code?: unknown; command?: unknown; responseCode?: unknown };
  const facts = { mailId, purpose, attempt, code, command, responseCode };
  const delay = error instanceof MailRefused ? null : retryDelay(attempt, Math.random(), mailBackoff);
  mailEnded(delay === null ? 'given_up' : 'postponed');
  if (delay === null) {
    log.error(facts, 'a mail was given up');
    return null;
  }
  log.warn({ ...facts, delayMillis: delay }, 'a mail was not sent and will be tried again');
  return { job: { ...job, attempt }, runAt: new Date(now().getTime() + delay) };
}
