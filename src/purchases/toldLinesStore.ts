// The SQL of what events have told of lines: the told state, the lines that the clock changes, and the data of events.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import {
  entitlementColumns,
  shownEntitlement,
  type DeviceEntitlement,
  type EntitlementRow,
} from './entitlementsStore.ts';
import { lockOfLine, type LineRecord, type Lines } from './statementsStore.ts';

export type ToldLine = Pick<LineRecord, 'lineId' | 'toldActive' | 'tellAt'>;

export async function saveTold(transaction: Transaction, applicationId: string, told: ToldLine[]): Promise<void> {
  if (told.length === 0) return;
  const lineIds = told.map(({ lineId }) => lineId);
  const active = told.map(({ toldActive }) => toldActive);
  const times = told.map(({ tellAt }) => tellAt);
  await transaction.query(prepared('save_told')`/* purchases: saveTold */
    UPDATE store_entitlements e SET told_active = t.active, tell_at = t.at
    FROM unnest(${lineIds}::text[], ${active}::boolean[], ${times}::timestamptz[]) AS t (line_id, active, at)
    WHERE e.line_id = t.line_id AND e.application_id = ${applicationId}`);
}

/** As the admin API shows them. */
export async function findShown(
  transaction: Transaction,
  { applicationId, lineIds }: Lines,
  now: Date,
): Promise<Map<string, DeviceEntitlement>> {
  const { rows } = await transaction.query<EntitlementRow>(prepared('find_shown_lines')`/* purchases: findShown */
    SELECT ${entitlementColumns} FROM store_entitlements e
    LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
    WHERE e.application_id = ${applicationId} AND e.line_id = ANY(${lineIds}::text[])`);
  return new Map(rows.map((row) => [row.id, shownEntitlement(row, now)]));
}

/** Mostly none is, and the search needs no transaction. */
export async function isAnyLineEnded(connection: SqlConnection, now: Date): Promise<boolean> {
  const statement = prepared('is_any_line_ended')`/* purchases: isAnyLineEnded */
    SELECT EXISTS (SELECT FROM store_entitlements WHERE tell_at <= ${now}) AS ended`;
  const { rows } = await connection.query<{ ended: boolean }>(statement);
  return rows[0]!.ended;
}

export interface EndedLines {
  /** How many the search found, with those that a statement or an upload holds. */
  found: number;
  /** Of each application the lines that this transaction holds from now on, sorted. */
  held: Lines[];
}

/**
 * A line that another transaction holds is left to it: it tells the end, or moves it. The search waits for no row: the
 * transaction that queues look-ups holds rows and waits for the job of an upload, and the upload waits for a line.
 */
export async function holdEndedLines(
  transaction: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<EndedLines> {
  const statement = prepared('hold_ended_lines')`/* purchases: holdEndedLines */
    WITH ended AS MATERIALIZED (
      SELECT line_id, application_id FROM store_entitlements WHERE tell_at <= ${now}
      ORDER BY tell_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED),
    tried AS MATERIALIZED (
      SELECT *, pg_try_advisory_xact_lock(${lockOfLine(sql`application_id`, sql`line_id`)}) AS held FROM ended)
    SELECT application_id AS "applicationId", count(*)::int AS found,
      coalesce(array_agg(line_id ORDER BY line_id) FILTER (WHERE held), '{}') AS "lineIds"
    FROM tried GROUP BY application_id ORDER BY application_id`;
  const { rows } = await transaction.query<Lines & { found: number }>(statement);
  const held = rows.map(({ applicationId, lineIds }) => ({ applicationId, lineIds }));
  return {
    found: rows.reduce((sum, { found }) => sum + found, 0),
    held: held.filter(({ lineIds }) => lineIds.length > 0),
  };
}
