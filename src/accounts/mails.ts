// The job that mails a reset token, which it opens, or an invitation's, which it renews: once, unless the server's reply is lost.
import type { Pool } from 'pg';
import type { SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { addJobs, type JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import { type Mail, MailRefused, type SendMail } from '../platform/mailer.ts';
import type { Log } from '../platform/observability/log.ts';
import type { MailOutcome } from '../platform/observability/metrics.ts';
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import {
  emailTokenExpiry,
  type EmailTokenPurpose,
  endEmailTokens,
  expiryOf,
  insertEmailToken,
  isEmailToken,
  isPasswordToken,
  markEmailTokenMailed,
  markPasswordTokenMailed,
  openResetToken,
  type PasswordTokenPurpose,
  type PasswordTokens,
  renewEmailToken,
  renewInvitationToken,
} from './mailedTokens.ts';
import { findOrganizationOf } from './members.ts';

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

// The job of signup and emailChange: mails the token that proves a mailbox, or the notice to the account's present address.

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

// What the jobs that send mails share: the token of a mail that runs again, and the retry of a mail that was not sent.

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

// Adds the jobs that mail a reset or invitation token to the queue.

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

// Opens the tokens that prove a mailbox, and adds the jobs that mail them and the notice of a change.

export type EmailMailJob = JobPayloads['sendEmailMail'];

/** When several mails of one kind wait for one address, only the latest goes out. A retried mail has a key of its own. */
export async function addEmailMail(client: SqlConnection, job: EmailMailJob, runAt?: Date): Promise<void> {
  const key = job.attempt ? `sendEmailMail:${job.mailId}` : `sendEmailMail:${job.purpose}:${job.email}`;
  await addJobs(client, { task: 'sendEmailMail' }, [{ payload: job, key, owner: job.email, ...(runAt && { runAt }) }]);
}

export interface MailedProof {
  userId: string;
  purpose: EmailTokenPurpose;
  /** The address whose mailbox the token proves. */
  email: string;
}

/** Only the latest token of a purpose works. The caller holds the lock of the user's row. */
export async function mailEmailToken(
  transaction: Transaction,
  proof: MailedProof,
  { passwordTokens, now }: { passwordTokens: PasswordTokens; now(): Date },
): Promise<void> {
  const mailId = newId();
  const { userId, purpose, email } = proof;
  const at = now();
  await endEmailTokens(transaction, { userId, purpose, now: at });
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  await insertEmailToken(transaction, { ...proof, hash, now: at, expiresAt: emailTokenExpiry(purpose, at) });
  await addEmailMail(transaction, { mailId, purpose, email });
}

/** Tells the account's present address that another is to take its place. */
export async function mailChangeNotice(
  transaction: Transaction,
  { email, newEmail }: { email: string; newEmail: string },
): Promise<void> {
  await addEmailMail(transaction, { mailId: newId(), purpose: 'notice', email, newEmail });
}

// The texts of the reset and the invitation mail: pure. Their links begin with the configured address (schema.graphql, "Mails").

export interface PasswordMailFacts {
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

export type EmailMailFacts =
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
