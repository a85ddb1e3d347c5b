// The SQL of login challenges.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

export async function insertChallenge(
  transaction: Transaction,
  { hash, userId, expiresAt }: { hash: Buffer; userId: string; expiresAt: Date },
): Promise<void> {
  await transaction.query(prepared('insert_challenge')`/* accounts: insertChallenge */
    INSERT INTO login_challenges (hash, user_id, expires_at) VALUES (${hash}, ${userId}, ${expiresAt})`);
}

export async function findChallengeUser(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<string | null> {
  const statement = prepared('find_challenge_user')`/* accounts: findChallengeUser */
    SELECT user_id AS "userId" FROM login_challenges WHERE hash = ${hash} AND expires_at > ${now}`;
  const { rows } = await connection.query<{ userId: string }>(statement);
  return rows[0]?.userId ?? null;
}

export async function deleteChallenge(transaction: Transaction, hash: Buffer): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('delete_challenge')`/* accounts: deleteChallenge */
    DELETE FROM login_challenges WHERE hash = ${hash}`);
  return rowCount === 1;
}

export function deleteExpiredLoginChallenges(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredLoginChallenges */
      DELETE FROM login_challenges WHERE hash IN (
        SELECT hash FROM login_challenges WHERE expires_at < now()
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
