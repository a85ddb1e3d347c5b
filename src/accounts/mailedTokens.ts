// Mailed tokens, one for each mail, stored only as hashes: those that set a password or accept an invitation, and those that prove a mailbox.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { EmailTokenPurpose, PasswordTokenPurpose, PrismaClient } from '../../generated/prisma/client.ts';
import { prepared, raw, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminPool, AdminTransaction, PrismaModels } from '../platform/database/transaction.ts';
import type { Attempts } from './attempts.ts';

export interface PasswordTokens {
  /**
   * The token of a mail, 256 bits, derived from the mail's id under a key of the service. A job that runs again mails the
   * same token, and the queue holds only the id, from which nobody else can derive the token
   * (docs/decisions/unproven-accounts.md).
   */
  tokenOf(mailId: string): string;
  /** The tokens that other keys of the service may have given the same mail before. */
  otherTokensOf(mailId: string): string[];
  hashOf(token: string): Buffer<ArrayBuffer>;
}

/** What an operation needs that is called with a mailed token. */
export interface MailedTokenNeeds {
  adminPool: AdminPool;
  prisma: PrismaClient;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

const hour = 60 * 60_000;
const lifetimeMillis: Record<PasswordTokenPurpose | EmailTokenPurpose, number> = {
  reset: hour / 2,
  invitation: 7 * 24 * hour,
  confirmation: 7 * 24 * hour,
  change: 24 * hour,
};

export function createPasswordTokens(current: Buffer, ...older: Buffer[]): PasswordTokens {
  const [tokenOf, ...others] = derivations('password token', [current, ...older]);
  return {
    tokenOf: tokenOf!,
    otherTokensOf: (mailId) => others.map((derive) => derive(mailId)),
    hashOf: hashOfToken,
  };
}

/** Each derives a token from a text under one of the keys, for one purpose. */
export function derivations(purpose: string, keys: Buffer[]): ((text: string) => string)[] {
  return keys.map((tokenKey) => {
    const key = Buffer.from(hkdfSync('sha256', tokenKey, '', purpose, 32));
    return (text) => createHmac('sha256', key).update(text).digest('base64url');
  });
}

/** A token that no mail has, for a link that a program prints. */
export function newPasswordToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
}

/** For every token with 256 random bits: one SHA-256, from which nobody can guess them, unlike a password. */
export function hashOfToken(token: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(token).digest();
}

export function expiryOf(purpose: keyof typeof lifetimeMillis, now: Date): Date {
  return new Date(now.getTime() + lifetimeMillis[purpose]);
}

export interface OpenPasswordToken {
  createdAt: Date;
  /** Of an invitation. */
  organizationName?: string;
}

/**
 * SQL, because it locks, and a job sends it. Stores a reset token, or restarts the lifetime of a token whose mail has not
 * been sent yet. Null when there is nothing to mail: no such user, a mail that has been sent, a token that has ended, or a
 * later token. The statement locks the user's row, so that a transaction that changes the password and then ends all
 * tokens also ends this one.
 */
export async function openResetToken(
  connection: SqlConnection,
  { hash, email, now, expiresAt }: { hash: Buffer; email: string; now: Date; expiresAt: Date },
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
  transaction: AdminTransaction,
  token: { hash: Buffer<ArrayBuffer>; membershipId: string; now: Date; expiresAt: Date },
): Promise<void> {
  const { hash, membershipId, now, expiresAt } = token;
  await endPasswordTokens(transaction, { membershipId }, now);
  await transaction.prisma.passwordToken.createMany({
    data: { hash, membershipId, purpose: 'invitation', createdAt: now, expiresAt },
  });
}

/**
 * SQL, because a job sends it. Restarts the lifetime of an invitation's token. Null when there is nothing to mail: a mail
 * that has been sent, or an invitation that has ended.
 */
export async function renewInvitationToken(
  connection: SqlConnection,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<OpenPasswordToken | null> {
  const statement = prepared('renew_invitation_token')`/* accounts: renewInvitationToken */
    UPDATE password_tokens t SET expires_at = ${expiresAt} FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE t.hash = ${hash} AND t.mailed_at IS NULL AND t.ended_at IS NULL AND m.id = t.membership_id
      AND m.status = 'invited'
    RETURNING t.created_at AS "createdAt", o.name AS "organizationName"`;
  const { rows } = await connection.query<OpenPasswordToken>(statement);
  return rows[0] ?? null;
}

/** The user of a reset token that can set a password now. */
export async function findUserOfToken(
  prisma: PrismaModels,
  { hash, now }: { hash: Buffer<ArrayBuffer>; now: Date },
): Promise<string | null> {
  const token = await prisma.passwordToken.findFirst({
    where: { hash, endedAt: null, expiresAt: { gt: now } },
    select: { userId: true },
  });
  return token?.userId ?? null;
}

/**
 * Ends the open tokens of a user or of an invitation. The caller has locked the user, or the invitation's organization, so
 * that none opens meanwhile.
 */
export async function endPasswordTokens(
  { prisma }: AdminTransaction,
  of: { userId: string } | { membershipId: string },
  now: Date,
): Promise<void> {
  await prisma.passwordToken.updateMany({ where: { ...of, endedAt: null }, data: { endedAt: now } });
}

export interface OpenEmailToken {
  createdAt: Date;
  /** Another account has the address now. */
  inUse: boolean;
}

/**
 * SQL, because a job sends it. Restarts the lifetime of a token whose mail has not been sent yet. Null when there is
 * nothing to mail.
 */
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

/** Ends the user's open tokens of this purpose. The caller has locked the user's row, so that none opens meanwhile. */
export async function endEmailTokens(
  { prisma }: AdminTransaction,
  which: { userId: string; purpose: EmailTokenPurpose },
  now: Date,
): Promise<void> {
  await prisma.emailToken.updateMany({ where: { ...which, endedAt: null }, data: { endedAt: now } });
}

export type TokenTable = 'password_tokens' | 'email_tokens';

/** SQL, because a job sends it. True for an ended or expired token too. */
export async function isMailedToken(connection: SqlConnection, table: TokenTable, hash: Buffer): Promise<boolean> {
  const { rowCount } = await connection.query(prepared(`is_in_${table}`)`/* accounts: isMailedToken */
    SELECT FROM ${raw(table)} WHERE hash = ${hash}`);
  return rowCount === 1;
}

/** SQL, because a job sends it. */
export async function markTokenMailed(
  connection: SqlConnection,
  table: TokenTable,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<void> {
  await connection.query(prepared(`mark_mailed_in_${table}`)`/* accounts: markTokenMailed */
    UPDATE ${raw(table)} SET mailed_at = ${now} WHERE hash = ${hash}`);
}
