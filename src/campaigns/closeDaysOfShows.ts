// Closes the days of shows: each day's suspect shows are counted once more and kept, and the rows of its devices go.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { plainArray, prepared, sql } from '../platform/database/sql.ts';
import { inRemovalTransaction, type Transaction } from '../platform/database/transaction.ts';

const pauseMillis = 20;
/** Until an hour after a day an upload of it may be under way. */
const closedBefore = sql`((now() - interval '1 hour') AT TIME ZONE 'UTC')::date`;

/** Any number of processes may run it: each takes rows that no other holds, and a killed one has kept or removed none twice. */
export async function closeDaysOfShows(pool: Pool, size = 1_000): Promise<void> {
  // Mostly no day is closed, and the search needs no transaction.
  const { rows } = await pool.query<{ closed: boolean }>(sql`/* campaigns: isAnyDayClosed */
    SELECT EXISTS (SELECT FROM campaign_shows WHERE day < ${closedBefore}) AS closed`);
  if (!rows[0]?.closed) return;
  while (await inRemovalTransaction(pool, (transaction) => closeShows(transaction, size))) await sleep(pauseMillis);
}

/** True where there may be more. */
async function closeShows(transaction: Transaction, size: number): Promise<boolean> {
  const { rows: closed } = await transaction.query<ClosedShows>(sql`/* campaigns: lockClosedShows */
    SELECT campaign_id AS "campaignId", shown_by AS "deviceKey", day::text, shows::float8, suspect::float8, continued,
      most::float8, per_session::float8 AS "perSession"
    FROM campaign_shows WHERE day < ${closedBefore}
    ORDER BY day LIMIT ${size} FOR UPDATE SKIP LOCKED`);
  if (closed.length === 0) return false;
  // A session without a show may have arrived after the device's last show of the day. More sessions never make more suspect.
  const bySession = closed.filter(({ suspect, perSession }) => suspect > 0 && perSession !== null);
  const sessions = await countSessionsOfDays(transaction, bySession);
  await addSuspects(transaction, suspectsOf(closed, sessions));
  const campaignIds = plainArray(closed.map(({ campaignId }) => campaignId));
  const deviceKeys = plainArray(closed.map(({ deviceKey }) => deviceKey));
  const days = plainArray(closed.map(({ day }) => day));
  await transaction.query(sql`/* campaigns: deleteShows */
    DELETE FROM campaign_shows s
    USING unnest(${campaignIds}::uuid[], ${deviceKeys}::uuid[], ${days}::date[]) AS t (campaign, device, day)
    WHERE s.campaign_id = t.campaign AND s.shown_by = t.device AND s.day = t.day`);
  return closed.length === size;
}

function suspectsOf(closed: readonly ClosedShows[], sessions: ReadonlyMap<string, number>): Map<string, number> {
  const suspects = new Map<string, number>();
  for (const shows of closed) {
    const { campaignId, deviceKey, day, suspect } = shows;
    if (suspect === 0) continue;
    const counted = sessions.get(`${deviceKey} ${day}`);
    // Retention may have removed the sessions meanwhile.
    const sure = counted === undefined ? suspect : Math.min(suspect, suspectShows(shows, counted));
    if (sure > 0) suspects.set(campaignId, (suspects.get(campaignId) ?? 0) + sure);
  }
  return suspects;
}

interface DeviceShows {
  shows: number;
  /** The smaller cap of a day and of all time; null without one. */
  most: number | null;
  perSession: number | null;
  /** A show arrived in a session of an earlier day, which counts as one more session. */
  continued: boolean;
}

/** How many shows are beyond what the frequency allows. `sessions` of the device have first arrived on the day. `addCampaignShows` does the same in SQL. */
export function suspectShows({ shows, most, perSession, continued }: DeviceShows, sessions: number): number {
  const bySession = perSession === null ? Infinity : perSession * (sessions + (continued ? 1 : 0));
  return Math.max(0, shows - Math.min(most ?? Infinity, bySession));
}

interface ClosedShows extends DeviceShows {
  campaignId: string;
  deviceKey: string;
  day: string;
  /** As counted with the last show. */
  suspect: number;
}

/** By `<device> <day>`, how many sessions of the device first arrived on the day. */
async function countSessionsOfDays(
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
async function addSuspects(transaction: Transaction, suspects: ReadonlyMap<string, number>): Promise<void> {
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
