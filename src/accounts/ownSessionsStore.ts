// The SQL with which a user sees and ends their own login sessions.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

/** Notes it in the membership too. Never waits: while another transaction holds the row, it is being used or ended there. */
export async function noteSessionUse(connection: SqlConnection, { id, now }: { id: string; now: Date }): Promise<void> {
  await connection.query(prepared('note_session_use')`/* accounts: noteSessionUse */
    WITH session AS (
      UPDATE login_sessions SET last_used_at = ${now} WHERE id = (
        SELECT id FROM login_sessions WHERE id = ${id} AND last_used_at < ${now} FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING user_id, organization_id
    )
    UPDATE memberships SET last_used_at = ${now} WHERE id = (
      SELECT m.id FROM memberships m JOIN session s ON s.user_id = m.user_id AND s.organization_id = m.organization_id
      FOR NO KEY UPDATE OF m SKIP LOCKED)`);
}

export interface OwnSession {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
  userAgent: string | null;
  address: string | null;
}

/** The latest login first. */
export async function findOwnSessions(
  connection: SqlConnection,
  { userId, now, usedSince, limit }: { userId: string; now: Date; usedSince: Date; limit: number },
): Promise<OwnSession[]> {
  const statement = prepared('find_own_sessions')`/* accounts: findOwnSessions */
    SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent", address
    FROM login_sessions
    WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now} AND last_used_at > ${usedSince}
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const { rows } = await connection.query<OwnSession>(statement);
  return rows;
}

/** False where the user has no such live session. */
export async function revokeOwnSession(
  transaction: Transaction,
  { userId, id, now }: { userId: string; id: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('revoke_own_session')`/* accounts: revokeOwnSession */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}`);
  return rowCount === 1;
}

/** Ends every login of a user but one. The caller has locked the user's row, so that no login begins meanwhile. */
export async function revokeOtherSessions(
  transaction: Transaction,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('revoke_other_sessions')`/* accounts: revokeOtherSessions */
    UPDATE login_sessions SET revoked_at = ${now}
    WHERE user_id = ${userId} AND id <> ${sessionId} AND revoked_at IS NULL`);
}

/**
 * Makes room for one more login of a user who has as many as `most`: removes the ended ones, and then those that were used
 * least lately, with their refresh tokens. A row that another transaction holds stays for the next login.
 */
export async function removeLeastUsed(
  transaction: Transaction,
  { userId, most, now }: { userId: string; most: number; now: Date },
): Promise<void> {
  await transaction.query(prepared('remove_least_used')`/* accounts: removeLeastUsed */
    DELETE FROM login_sessions WHERE id IN (
      SELECT id FROM login_sessions WHERE id IN (
        SELECT id FROM login_sessions WHERE user_id = ${userId}
        ORDER BY revoked_at IS NULL AND expires_at > ${now} DESC, last_used_at DESC, id DESC OFFSET ${most} - 1)
      LIMIT 1000 FOR UPDATE SKIP LOCKED)`);
}
