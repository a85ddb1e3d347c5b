// The SQL that closes the days of shows: what is suspect of them goes into the counts, and their rows go.
import type { Pool } from 'pg';
import { plainArray } from '../platform/database/arrayLiteral.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { DeviceShows } from './suspectShows.ts';

export interface ClosedShows extends DeviceShows {
  campaignId: string;
  deviceKey: string;
  day: string;
  /** As counted with the last show. */
  suspect: number;
}

/** Until an hour after a day an upload of it may be under way. Mostly no day is closed, and the search needs no transaction. */
const closedBefore = sql`((now() - interval '1 hour') AT TIME ZONE 'UTC')::date`;

export async function isAnyDayClosed(connection: SqlConnection): Promise<boolean> {
  const { rows } = await connection.query<{ closed: boolean }>(sql`/* campaigns: isAnyDayClosed */
    SELECT EXISTS (SELECT FROM campaign_shows WHERE day < ${closedBefore}) AS closed`);
  return rows[0]?.closed ?? false;
}

/** Rows of closed days that no other process holds. */
export async function lockClosedShows(transaction: Transaction, limit: number): Promise<ClosedShows[]> {
  const { rows } = await transaction.query<ClosedShows>(sql`/* campaigns: lockClosedShows */
    SELECT campaign_id AS "campaignId", shown_by AS "deviceKey", day::text, shows::float8, suspect::float8, continued,
      most::float8, per_session::float8 AS "perSession"
    FROM campaign_shows WHERE day < ${closedBefore}
    ORDER BY day LIMIT ${limit} FOR UPDATE SKIP LOCKED`);
  return rows;
}

/** By `<device> <day>`, how many sessions of the device first arrived on the day. */
export async function countSessionsOfDays(
  transaction: Transaction,
  shows: readonly ClosedShows[],
): Promise<Map<string, number>> {
  if (shows.length === 0) return new Map();
  const deviceKeys = [...new Set(shows.map(({ deviceKey }) => deviceKey))];
  const days = shows.map(({ day }) => day).sort();
  const { rows } = await transaction.query<{ key: string; sessions: number }>(sql`/* campaigns: countSessionsOfDays */
    SELECT device_key || ' ' || (received_at AT TIME ZONE 'UTC')::date AS key, count(*)::float8 AS sessions FROM sessions
    WHERE device_key = ANY(${deviceKeys}::uuid[]) AND received_at >= ${days[0]}::date::timestamp AT TIME ZONE 'UTC'
      AND received_at < (${days.at(-1)}::date + 1)::timestamp AT TIME ZONE 'UTC'
    GROUP BY 1`);
  return new Map(rows.map(({ key, sessions }) => [key, sessions]));
}

/** By campaign. One that was removed meanwhile is left out. */
export async function addSuspects(transaction: Transaction, suspects: ReadonlyMap<string, number>): Promise<void> {
  if (suspects.size === 0) return;
  const campaignIds = plainArray([...suspects.keys()]);
  const counts = plainArray([...suspects.values()]);
  await transaction.query(sql`/* campaigns: addSuspects */
    INSERT INTO campaign_counts AS c (campaign_id, outcome, count)
    SELECT t.campaign, 'suspect', t.count FROM unnest(${campaignIds}::uuid[], ${counts}::int8[]) AS t (campaign, count)
    JOIN campaigns ON campaigns.id = t.campaign
    ORDER BY t.campaign
    ON CONFLICT (campaign_id, outcome) DO UPDATE SET count = c.count + excluded.count`);
}

export async function deleteShows(transaction: Transaction, shows: readonly ClosedShows[]): Promise<void> {
  const campaignIds = plainArray(shows.map(({ campaignId }) => campaignId));
  const deviceKeys = plainArray(shows.map(({ deviceKey }) => deviceKey));
  const days = plainArray(shows.map(({ day }) => day));
  await transaction.query(sql`/* campaigns: deleteShows */
    DELETE FROM campaign_shows s
    USING unnest(${campaignIds}::uuid[], ${deviceKeys}::uuid[], ${days}::date[]) AS t (campaign, device, day)
    WHERE s.campaign_id = t.campaign AND s.shown_by = t.device AND s.day = t.day`);
}

const batchSize = 1_000;

/** Of a deleted application, one batch. Returns whether there may be more. */
export function removeShows(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_shows')`/* campaigns: removeShows */
      WITH batch AS MATERIALIZED (
        SELECT s.campaign_id, s.shown_by, s.day FROM campaigns c JOIN campaign_shows s ON s.campaign_id = c.id
        WHERE c.application_id = ${applicationId} LIMIT ${batchSize})
      DELETE FROM campaign_shows s USING batch
      WHERE s.campaign_id = batch.campaign_id AND s.shown_by = batch.shown_by AND s.day = batch.day`);
    return rowCount === batchSize;
  });
}
