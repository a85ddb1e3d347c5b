// Mailed tokens, one for each mail, stored only as hashes; and the lifetimes of those that set a password.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deleteInBatches, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

export type PasswordTokenPurpose = 'reset' | 'invitation';

export interface PasswordTokens {
  /**
   * The token of a mail, 256 bits, derived from the mail's id under a key of the service. A job that runs again mails the
   * same token, and the queue holds only the id, from which nobody else can derive the token
   * (docs/decisions/unproven-accounts.md).
   */
  tokenOf(mailId: string): string;
  /** The tokens that other keys of the service may have given the same mail before. */
  otherTokensOf(mailId: string): string[];
  hashOf(token: string): Buffer;
}

const minute = 60_000;
const passwordLifetimeMillis = { reset: 30 * minute, invitation: 7 * 24 * 60 * minute } satisfies Record<
  PasswordTokenPurpose,
  number
>;

export function createPasswordTokens(current: Buffer, ...older: Buffer[]): PasswordTokens {
  const [tokenOf, ...others] = [current, ...older].map((tokenKey) => {
    const key = Buffer.from(hkdfSync('sha256', tokenKey, '', 'password token', 32));
    return (mailId: string) => createHmac('sha256', key).update(mailId).digest('base64url');
  });
  return {
    tokenOf: tokenOf!,
    otherTokensOf: (mailId) => others.map((derive) => derive(mailId)),
    hashOf: hashOfToken,
  };
}

/** A token that no mail has, for a link that a program prints. */
export function newPasswordToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
}

function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function expiryOf(purpose: PasswordTokenPurpose, now: Date): Date {
  return new Date(now.getTime() + passwordLifetimeMillis[purpose]);
}

// The tokens that prove the mailbox of an e-mail address (schema.graphql, "Tokens"): their purposes and lifetimes.

/** `confirmation` proves the account's own address. `change` makes another address the account's. */
export type EmailTokenPurpose = 'confirmation' | 'change';

const hour = 60 * 60_000;
const emailLifetimeMillis = { confirmation: 7 * 24 * hour, change: 24 * hour } satisfies Record<
  EmailTokenPurpose,
  number
>;

export function emailTokenExpiry(purpose: EmailTokenPurpose, now: Date): Date {
  return new Date(now.getTime() + emailLifetimeMillis[purpose]);
}

// The SQL of reset tokens, which belong to a user, and of invitation tokens, which belong to an invitation.

export interface NewPasswordToken {
  hash: Buffer;
  now: Date;
  expiresAt: Date;
}

export interface OpenPasswordToken {
  createdAt: Date;
  /** Of an invitation. */
  organizationName?: string;
}

/**
 * Stores a reset token, or restarts the lifetime of a token whose mail has not been sent yet. Null when there is nothing
 * to mail: no such user, a mail that has been sent, a token that has ended, or a later token. The statement locks the
 * user's row, so that a transaction that changes the password and then ends all tokens also ends this one.
 */
export async function openResetToken(
  connection: SqlConnection,
  { hash, email, now, expiresAt }: NewPasswordToken & { email: string },
): Promise<OpenPasswordToken | null> {
  const statement = prepared('open_reset_token')`/* accounts: openResetToken */
    INSERT INTO password_tokens AS t (hash, user_id, purpose, created_at, expires_at)
    SELECT ${hash}, u.id, 'reset', ${now}, ${expiresAt} FROM (SELECT id FROM users WHERE email = ${email} FOR SHARE) u
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at
    WHERE t.mailed_at IS NULL AND t.ended_at IS NULL AND NOT EXISTS (
      SELECT FROM password_tokens later WHERE later.user_id = t.user_id
        AND later.created_at > t.created_at AND later.ended_at IS NULL)
    RETURNING t.created_at AS "createdAt"`;
  const { rows } = await connection.query<OpenPasswordToken>(statement);
  return rows[0] ?? null;
}

/** Ends the earlier tokens of the invitation. The caller has locked the organization. */
export async function openInvitationToken(
  transaction: Transaction,
  { hash, membershipId, now, expiresAt }: NewPasswordToken & { membershipId: string },
): Promise<void> {
  await endInvitationTokens(transaction, { membershipId, now });
  await transaction.query(prepared('open_invitation_token')`/* accounts: openInvitationToken */
    INSERT INTO password_tokens (hash, membership_id, purpose, created_at, expires_at)
    VALUES (${hash}, ${membershipId}, 'invitation', ${now}, ${expiresAt})`);
}

/**
 * Restarts the lifetime of an invitation's token. Null when there is nothing to mail: a mail that has been sent, or an
 * invitation that has ended.
 */
export async function renewInvitationToken(
  connection: SqlConnection,
  { hash, expiresAt }: Pick<NewPasswordToken, 'hash' | 'expiresAt'>,
): Promise<OpenPasswordToken | null> {
  const statement = prepared('renew_invitation_token')`/* accounts: renewInvitationToken */
    UPDATE password_tokens t SET expires_at = ${expiresAt} FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE t.hash = ${hash} AND t.mailed_at IS NULL AND t.ended_at IS NULL AND m.id = t.membership_id
      AND m.status = 'invited'
    RETURNING t.created_at AS "createdAt", o.name AS "organizationName"`;
  const { rows } = await connection.query<OpenPasswordToken>(statement);
  return rows[0] ?? null;
}

/** True for an ended or expired token too. */
export async function isPasswordToken(connection: SqlConnection, hash: Buffer): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_password_token')`/* accounts: isPasswordToken */
    SELECT FROM password_tokens WHERE hash = ${hash}`);
  return rowCount === 1;
}

/** The user of a reset token that can set a password now. */
export async function findUserOfToken(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<string | null> {
  const statement = prepared('find_user_of_token')`/* accounts: findUserOfToken */
    SELECT user_id AS "userId" FROM password_tokens
    WHERE hash = ${hash} AND ended_at IS NULL AND expires_at > ${now} AND user_id IS NOT NULL`;
  const { rows } = await connection.query<{ userId: string }>(statement);
  return rows[0]?.userId ?? null;
}

export async function markPasswordTokenMailed(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await connection.query(prepared('mark_password_token_mailed')`/* accounts: markPasswordTokenMailed */
    UPDATE password_tokens SET mailed_at = ${now} WHERE hash = ${hash}`);
}

/** Ends every open reset token of a user. The caller has locked the user's row, so that none opens meanwhile. */
export async function endPasswordTokens(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('end_password_tokens')`/* accounts: endPasswordTokens */
    UPDATE password_tokens SET ended_at = ${now} WHERE user_id = ${userId} AND ended_at IS NULL`);
}

/** The caller has locked the organization. */
export async function endInvitationTokens(
  transaction: Transaction,
  { membershipId, now }: { membershipId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('end_invitation_tokens')`/* accounts: endInvitationTokens */
    UPDATE password_tokens SET ended_at = ${now} WHERE membership_id = ${membershipId} AND ended_at IS NULL`);
}

/** A week after the expiry of a token, no job that would restart its lifetime can still run. */
export function deleteExpiredPasswordTokens(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredPasswordTokens */
      DELETE FROM password_tokens WHERE hash IN (
        SELECT hash FROM password_tokens WHERE expires_at < now() - interval '7 days'
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}

// The SQL of the tokens that prove the mailbox of an e-mail address.

export interface NewEmailToken {
  hash: Buffer;
  userId: string;
  purpose: EmailTokenPurpose;
  email: string;
  now: Date;
  expiresAt: Date;
}

export async function insertEmailToken(transaction: Transaction, token: NewEmailToken): Promise<void> {
  const { hash, userId, purpose, email, now, expiresAt } = token;
  await transaction.query(prepared('insert_email_token')`/* accounts: insertEmailToken */
    INSERT INTO email_tokens (hash, user_id, purpose, email, created_at, expires_at)
    VALUES (${hash}, ${userId}, ${purpose}::email_token_purpose, ${email}, ${now}, ${expiresAt})`);
}

export interface OpenEmailToken {
  createdAt: Date;
  /** Another account has the address now. */
  inUse: boolean;
}

/** Restarts the lifetime of a token whose mail has not been sent yet. Null when there is nothing to mail. */
export async function renewEmailToken(
  connection: SqlConnection,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<OpenEmailToken | null> {
  const statement = prepared('renew_email_token')`/* accounts: renewEmailToken */
    UPDATE email_tokens t SET expires_at = ${expiresAt}
    WHERE t.hash = ${hash} AND t.mailed_at IS NULL AND t.ended_at IS NULL
    RETURNING t.created_at AS "createdAt",
      EXISTS (SELECT FROM users u WHERE u.email = t.email AND u.id <> t.user_id) AS "inUse"`;
  const { rows } = await connection.query<OpenEmailToken>(statement);
  return rows[0] ?? null;
}

/** True for an ended or expired token too. */
export async function isEmailToken(connection: SqlConnection, hash: Buffer): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_email_token')`/* accounts: isEmailToken */
    SELECT FROM email_tokens WHERE hash = ${hash}`);
  return rowCount === 1;
}

export async function markEmailTokenMailed(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await connection.query(prepared('mark_email_token_mailed')`/* accounts: markEmailTokenMailed */
    UPDATE email_tokens SET mailed_at = ${now} WHERE hash = ${hash}`);
}

export interface LiveEmailToken {
  userId: string;
  purpose: EmailTokenPurpose;
  email: string;
}

/** Null for a token that is unknown, used, expired or ended. */
export async function findEmailToken(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<LiveEmailToken | null> {
  const statement = prepared('find_email_token')`/* accounts: findEmailToken */
    SELECT user_id AS "userId", purpose, email FROM email_tokens
    WHERE hash = ${hash} AND ended_at IS NULL AND expires_at > ${now}`;
  const { rows } = await connection.query<LiveEmailToken>(statement);
  return rows[0] ?? null;
}

/** Ends the user's open tokens of this purpose. The caller has locked the user's row, so that none opens meanwhile. */
export async function endEmailTokens(
  transaction: Transaction,
  { userId, purpose, now }: { userId: string; purpose: EmailTokenPurpose; now: Date },
): Promise<void> {
  await transaction.query(prepared('end_email_tokens')`/* accounts: endEmailTokens */
    UPDATE email_tokens SET ended_at = ${now}
    WHERE user_id = ${userId} AND purpose = ${purpose}::email_token_purpose AND ended_at IS NULL`);
}

/** A week after the expiry of a token, no job that would restart its lifetime can still run. */
export function deleteExpiredEmailTokens(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredEmailTokens */
      DELETE FROM email_tokens WHERE hash IN (
        SELECT hash FROM email_tokens WHERE expires_at < now() - interval '7 days'
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
