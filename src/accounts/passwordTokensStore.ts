// The SQL of reset tokens, which belong to a user, and of invitation tokens, which belong to an invitation.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

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
