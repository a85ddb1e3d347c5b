// The SQL of the tokens that prove the mailbox of an e-mail address.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { EmailTokenPurpose } from './emailTokens.ts';

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
