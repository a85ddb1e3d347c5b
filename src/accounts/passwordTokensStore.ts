// The SQL of reset tokens, which are valid for active users, and of invitation tokens, which are valid for invited users.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { PasswordTokenPurpose } from './passwordTokens.ts';

export interface NewPasswordToken {
  hash: Buffer;
  purpose: PasswordTokenPurpose;
  email: string;
  now: Date;
  expiresAt: Date;
}

export interface OpenPasswordToken {
  createdAt: Date;
  organizationName: string;
}

/**
 * Stores a token, or restarts the lifetime of a token whose mail has not been sent yet. Null when there is nothing to
 * mail: no such user, a mail that has been sent, a token that has ended, or a later token of the same kind. The statement
 * locks the user's row, so that a transaction that disables the user and then ends all tokens also ends this one.
 */
export async function openPasswordToken(
  connection: SqlConnection,
  token: NewPasswordToken,
): Promise<OpenPasswordToken | null> {
  const { hash, purpose, email, now, expiresAt } = token;
  const status = statusFor[purpose];
  const statement = prepared('open_password_token')`/* accounts: openPasswordToken */
    INSERT INTO password_tokens AS t (hash, user_id, purpose, created_at, expires_at)
    SELECT ${hash}, u.id, ${purpose}::password_token_purpose, ${now}, ${expiresAt}
    FROM (SELECT id FROM users WHERE email = ${email} AND status = ${status}::user_status FOR SHARE) u
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at
    WHERE t.mailed_at IS NULL AND t.ended_at IS NULL AND NOT EXISTS (
      SELECT FROM password_tokens later WHERE later.user_id = t.user_id AND later.purpose = t.purpose
        AND later.created_at > t.created_at AND later.ended_at IS NULL)
    RETURNING t.created_at AS "createdAt", (
      SELECT o.name FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = t.user_id
    ) AS "organizationName"`;
  const { rows } = await connection.query<OpenPasswordToken>(statement);
  return rows[0] ?? null;
}

const statusFor = { reset: 'active', invitation: 'invited' } satisfies Record<PasswordTokenPurpose, string>;

/** True for an ended or expired token too. */
export async function isPasswordToken(connection: SqlConnection, hash: Buffer): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_password_token')`/* accounts: isPasswordToken */
    SELECT FROM password_tokens WHERE hash = ${hash}`);
  return rowCount === 1;
}

/** The id of the user who may set a password with this token now. */
export async function findUserOfToken(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<string | null> {
  const statement = prepared('find_user_of_token')`/* accounts: findUserOfToken */
    SELECT u.id AS "userId" FROM password_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.hash = ${hash} AND t.ended_at IS NULL AND t.expires_at > ${now}
      AND (t.purpose, u.status) IN (('reset', 'active'), ('invitation', 'invited'))`;
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

/** Ends every open token of a user, of both kinds. The caller has locked the user's row, so that none opens meanwhile. */
export async function endPasswordTokens(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('end_password_tokens')`/* accounts: endPasswordTokens */
    UPDATE password_tokens SET ended_at = ${now} WHERE user_id = ${userId} AND ended_at IS NULL`);
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
