// The mails about accounts: the jobs that send them, how these jobs are added, and the texts.
import type { Pool } from 'pg';
import type { EmailTokenPurpose, PasswordTokenPurpose } from '../../generated/prisma/client.ts';
import type { SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { addJobs, type JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import { type Mail, MailRefused, type SendMail } from '../platform/mailer.ts';
import type { Log } from '../platform/observability/log.ts';
import type { MailOutcome } from '../platform/observability/metrics.ts';
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import {
  endEmailTokens,
  expiryOf,
  isMailedToken,
  markTokenMailed,
  openResetToken,
  type PasswordTokens,
  renewEmailToken,
  renewInvitationToken,
  type TokenTable,
} from './mailedTokens.ts';
import { findOrganizationOf } from './members.ts';

export interface MailDeps {
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

/** Mails a reset token, which it opens, or an invitation's, which it renews. */
export async function sendPasswordMail(job: PasswordMailJob, deps: MailDeps, signal: AbortSignal): Promise<void> {
  const { mailId, purpose, email, takenBack = false } = job;
  const { pool, dashboardUrl, now } = deps;
  const { token, hash } = await tokenOfMail(mailId, 'password_tokens', deps);
  const expiresAt = expiryOf(purpose, now());
  const opened =
    purpose === 'reset'
      ? await openResetToken(pool, { hash, email, now: now(), expiresAt })
      : await renewInvitationToken(pool, { hash, expiresAt });
  if (!opened) return;
  const { organizationName = '' } = opened;
  const content = passwordMail({ purpose, email, organizationName, dashboardUrl, token, takenBack });
  const retry = (next: PasswordMailJob, runAt: Date) => addPasswordMail(pool, next, runAt);
  const sent = await send(job, { to: email, date: opened.createdAt, ...content }, { ...deps, retry, signal });
  if (sent) await markTokenMailed(pool, 'password_tokens', { hash, now: now() });
}

/** The job of `signup` and `emailChange`: mails the token that proves a mailbox, or the notice to the account's present address. */
export async function sendEmailMail(job: EmailMailJob, deps: MailDeps, signal: AbortSignal): Promise<void> {
  const { mailId, purpose, email, newEmail = '' } = job;
  const { pool, dashboardUrl, now } = deps;
  const retry = (next: EmailMailJob, runAt: Date) => addEmailMail(pool, next, runAt);
  if (purpose === 'notice') {
    const content = emailMail({ kind: 'notice', email, newEmail });
    await send(job, { to: email, date: now(), ...content }, { ...deps, retry, signal });
    return;
  }
  const { token, hash } = await tokenOfMail(mailId, 'email_tokens', deps);
  // Only here, after the response, does anything depend on whether another account has the address.
  const opened = await renewEmailToken(pool, { hash, expiresAt: expiryOf(purpose, now()) });
  if (!opened) return;
  const content = emailMail({ kind: opened.inUse ? 'in_use' : purpose, email, dashboardUrl, token });
  const sent = await send(job, { to: email, date: opened.createdAt, ...content }, { ...deps, retry, signal });
  if (sent) await markTokenMailed(pool, 'email_tokens', { hash, now: now() });
}

/** A mail that began under another key keeps its token, so that a retry sends the same mail. */
async function tokenOfMail(mailId: string, table: TokenTable, { pool, passwordTokens }: MailDeps) {
  for (const token of passwordTokens.otherTokensOf(mailId)) {
    const hash = passwordTokens.hashOf(token);
    if (await isMailedToken(pool, table, hash)) return { token, hash };
  }
  const token = passwordTokens.tokenOf(mailId);
  return { token, hash: passwordTokens.hashOf(token) };
}

interface MailJob {
  mailId: string;
  purpose: string;
  attempt?: number;
}

interface Sending<Job> extends MailDeps {
  retry(job: Job, runAt: Date): Promise<void>;
  signal: AbortSignal;
}

/**
 * False where the mail was not sent: the next attempt is then in the queue, or the mail is given up. The caller marks a mail
 * that the mail server has taken, and does not send it again. When the server's reply is lost, or the process dies before
 * the mark, the job cannot know whether the server took the mail. It then sends the mail again, because a second copy harms
 * less than none. Both copies have the same token and the same Message-ID, by which many mail servers and programs show
 * only one.
 */
async function send<Job extends MailJob>(job: Job, mail: Omit<Mail, 'id'>, sending: Sending<Job>): Promise<boolean> {
  const { sendMail, mailEnded, mailBackoff, log, retry, signal, now } = sending;
  try {
    await sendMail({ id: job.mailId, ...mail }, signal);
  } catch (error) {
    // A shutdown of this process says nothing about the mail server. The queue runs the job again.
    signal.throwIfAborted();
    const attempt = (job.attempt ?? 0) + 1;
    // The log gets neither the address nor the server's text, which may repeat the address.
    const { code, command, responseCode } = error as { code?: unknown; command?: unknown; responseCode?: unknown };
    const facts = { mailId: job.mailId, purpose: job.purpose, attempt, code, command, responseCode };
    const delayMillis = error instanceof MailRefused ? null : retryDelay(attempt, Math.random(), mailBackoff);
    mailEnded(delayMillis === null ? 'given_up' : 'postponed');
    if (delayMillis === null) log.error(facts, 'a mail was given up');
    else {
      log.warn({ ...facts, delayMillis }, 'a mail was not sent and will be tried again');
      await retry({ ...job, attempt }, new Date(now().getTime() + delayMillis));
    }
    return false;
  }
  mailEnded('sent');
  return true;
}

export type PasswordMailJob = JobPayloads['sendPasswordMail'];

/**
 * When several reset mails wait for one address, or several mails of one invitation, only the latest goes out. A retried mail has a key of its own,
 * because under the shared key it would replace a later mail. Its token tells whether a later mail has replaced it.
 */
export async function addPasswordMail(client: SqlConnection, job: PasswordMailJob, runAt?: Date): Promise<void> {
  // Each organization's invitation is a mail of its own: a stranger's must not replace it.
  const of = job.membershipId ?? job.email;
  const key = job.attempt ? `sendPasswordMail:${job.mailId}` : `sendPasswordMail:${job.purpose}:${of}`;
  const inviter = job.membershipId && (await findOrganizationOf(client, job.membershipId));
  // Whoever is invited does not wait for the mail. Organizations take turns.
  const task = { task: 'sendPasswordMail', priority: inviter ? 100 : 0 } as const;
  await addJobs(client, task, [{ payload: job, key, owner: inviter ?? of, ...(runAt && { runAt }) }]);
}

export type EmailMailJob = JobPayloads['sendEmailMail'];

/** When several mails of one kind wait for one address, only the latest goes out. A retried mail has a key of its own. */
export async function addEmailMail(client: SqlConnection, job: EmailMailJob, runAt?: Date): Promise<void> {
  const key = job.attempt ? `sendEmailMail:${job.mailId}` : `sendEmailMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendEmailMail' }, [{ payload: job, key, owner: job.email, ...(runAt && { runAt }) }]);
}

/** Mails a token that proves the mailbox of `email`. Only the latest one of a purpose works. The caller has locked the user. */
export async function mailEmailToken(
  transaction: AdminTransaction,
  { userId, purpose, email }: { userId: string; purpose: EmailTokenPurpose; email: string },
  { passwordTokens, now }: { passwordTokens: PasswordTokens; now(): Date },
): Promise<void> {
  const mailId = newId();
  const createdAt = now();
  await endEmailTokens(transaction, { userId, purpose }, createdAt);
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  const expiresAt = expiryOf(purpose, createdAt);
  await transaction.prisma.emailToken.createMany({ data: { hash, userId, purpose, email, createdAt, expiresAt } });
  await addEmailMail(transaction, { mailId, purpose, email });
}

// The texts of the reset and the invitation mail: pure. Their links begin with the configured address (schema.graphql, "Mails").

interface PasswordMailFacts {
  purpose: PasswordTokenPurpose;
  email: string;
  /** Empty for a reset. */
  organizationName: string;
  /** Without a final slash. */
  dashboardUrl: string;
  token: string;
  /** The account was a member until somebody proved the mailbox. */
  takenBack?: boolean;
}

export function passwordMail(facts: PasswordMailFacts): { subject: string; text: string } {
  if (facts.purpose === 'reset') return resetMail(facts);
  return facts.takenBack ? takenBackMail(facts) : invitationMail(facts);
}

function resetMail({ email, dashboardUrl, token }: PasswordMailFacts) {
  const text = `Somebody asked for a new password for ${email}.

To set one, open this link within 30 minutes. It works once.

${dashboardUrl}/reset-password?token=${token}

If it was not you, ignore this mail: your password stays as it is.
`;
  return { subject: 'Set a new password', text };
}

/** The subject leaves out the organization's name, because anybody can choose that text. */
function invitationMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You (${email}) are invited to the organization

  ${quotedName(organizationName)}

To join, open this link within 7 days and log in, or choose a password. It works once.

${dashboardUrl}/accept-invitation?token=${token}

If you do not know the organization, ignore this mail.
`;
  return { subject: 'You are invited', text };
}

/** After a stranger's sign-up the organization is the stranger's; after one's own the mail is the way back. */
function takenBackMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You have set a password for ${email}. Nobody had confirmed this address before. Somebody had
used it in the organization

  ${quotedName(organizationName)}

Your account no longer belongs to this organization.

If you do not know the organization, ignore this mail. If you want to belong to it, open this link within 7 days and log
in. It works once.

${dashboardUrl}/accept-invitation?token=${token}
`;
  return { subject: 'Your account has left an organization', text };
}

// How a text that strangers may choose stands in a mail: quoted, short, and without anything that a mail program makes a link of.

const longest = 64;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A company may be called Booking.com, so names are stored as they are. A zero width space behind each character that links
 * are made of keeps the name readable and leaves no link. Invisible format characters, which could turn the text around it, go.
 */
export function quotedName(name: string): string {
  const plain = name.replace(/\p{Cf}/gu, '').replace(/[\p{White_Space}\p{Cc}]+/gu, ' ');
  const all = [...letters.segment(plain)].map(({ segment }) => segment);
  const short = all.length > longest ? `${all.slice(0, longest).join('')}…` : plain;
  return `"${short.replace(/"/g, "'").replace(/[.:/@\\。．｡]|www/gi, '$&\u200b')}"`;
}

// The texts of the mails about an account's address: pure. Their links begin with the configured address (schema.graphql, "Mails").

type EmailMailFacts =
  | { kind: EmailTokenPurpose; email: string; dashboardUrl: string; token: string }
  | { kind: 'in_use'; email: string }
  | { kind: 'notice'; email: string; newEmail: string };

export function emailMail(facts: EmailMailFacts): { subject: string; text: string } {
  switch (facts.kind) {
    case 'confirmation':
      return confirmationMail(facts);
    case 'change':
      return changeMail(facts);
    case 'in_use':
      return inUseMail(facts);
    case 'notice':
      return noticeMail(facts);
  }
}

interface Linked {
  email: string;
  dashboardUrl: string;
  token: string;
}

const linkOf = ({ dashboardUrl, token }: Linked): string => `${dashboardUrl}/confirm-email?token=${token}`;

function confirmationMail(facts: Linked) {
  const text = `An account with your e-mail address ${facts.email} was made.

To confirm that the address is yours, open this link within 7 days. It works once.

${linkOf(facts)}

If it was not you, ignore this mail.
`;
  return { subject: 'Confirm your e-mail address', text };
}

function changeMail(facts: Linked) {
  const text = `Somebody wants to use ${facts.email} as the e-mail address of their account.

If it was you, open this link within 24 hours. It works once.

${linkOf(facts)}

If it was not you, ignore this mail.
`;
  return { subject: 'Confirm your new e-mail address', text };
}

/** Only the owner of the mailbox learns it: the response to `emailChange` is the same for an address in use. */
function inUseMail({ email }: { email: string }) {
  const text = `Somebody wants to use ${email} as the e-mail address of their account.

There is an account with this address already, and nothing changes. If it was you, log in to that account. If you do
not know its password, ask for a new one there.

If it was not you, ignore this mail.
`;
  return { subject: 'Your e-mail address has an account', text };
}

function noticeMail({ email, newEmail }: { email: string; newEmail: string }) {
  const text = `Somebody who knows the password of your account ${email} wants to change its e-mail address to

  ${newEmail}

The address changes when that mailbox confirms it. If it was you, there is nothing to do.

If it was not you, set a new password now: the change can then no longer be confirmed.
`;
  return { subject: 'Your e-mail address is to change', text };
}
