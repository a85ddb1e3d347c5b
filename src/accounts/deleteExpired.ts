// Deletes expired rows of accounts. SQL, because other transactions may hold rows, and the database's clock says what has expired.
import { deleteInBatches, raw, sql, type SqlConnection } from '../platform/database/sql.ts';

interface Expiring {
  table: string;
  key: string;
  /** How long a row stays after its expiry. Default: 0. */
  keptDays?: number;
}

type Delete = (connection: SqlConnection, batchSize?: number) => Promise<number>;

function deleting(name: string, { table, key, keptDays = 0 }: Expiring): Delete {
  const batch = (size: number) => sql`/* accounts: ${raw(name)} */
    DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (
      SELECT ${raw(key)} FROM ${raw(table)} WHERE expires_at < now() - make_interval(days => ${keptDays}::integer)
      ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`;
  return (connection, batchSize = 10_000) => deleteInBatches(connection, batch, batchSize);
}

/** Without this, an attacker who tries random addresses leaves a row for each of them. */
export const deleteExpiredAttempts = deleting('deleteExpiredAttempts', { table: 'attempts', key: 'key' });

export const deleteExpiredLoginChallenges = deleting('deleteExpiredLoginChallenges', {
  table: 'login_challenges',
  key: 'hash',
});

/** A week after the expiry of a token, no job that would restart its lifetime can still run. */
export const deleteExpiredPasswordTokens = deleting('deleteExpiredPasswordTokens', {
  table: 'password_tokens',
  key: 'hash',
  keptDays: 7,
});

/** As at `deleteExpiredPasswordTokens`. */
export const deleteExpiredEmailTokens = deleting('deleteExpiredEmailTokens', {
  table: 'email_tokens',
  key: 'hash',
  keptDays: 7,
});

const deleteSessions = deleting('deleteExpiredLoginSessions', { table: 'login_sessions', key: 'id', keptDays: 1 });

/**
 * Deletes expired sessions, after their tokens. Tokens have batches of their own, because a session has one token for
 * each refresh of 90 days, and a client can make many. Returns the number of deleted rows of both.
 */
export async function deleteExpiredLoginSessions(connection: SqlConnection, batchSize = 1_000): Promise<number> {
  const tokens = await deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteTokensOfExpiredSessions */
      DELETE FROM refresh_tokens WHERE hash IN (
        SELECT t.hash FROM refresh_tokens AS t JOIN login_sessions AS s ON s.id = t.session_id
        WHERE s.expires_at < now() - interval '1 day' LIMIT ${size} FOR UPDATE OF t SKIP LOCKED)`,
    batchSize,
  );
  return tokens + (await deleteSessions(connection, batchSize));
}
