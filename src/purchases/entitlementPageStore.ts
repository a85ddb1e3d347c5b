// The SQL of a page of an application's entitlements.
import { concat, empty, sql, type Sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { endsAfter, isActiveAt, isByDuration, lasts } from './activeSql.ts';
import {
  entitlementColumns,
  shownEntitlement,
  type DeviceEntitlement,
  type EntitlementRow,
} from './entitlementsStore.ts';
import { hasFew, isLineOfExternalId, linesOfDevice, linesOfExternalId, type Somebody } from './heldSql.ts';
import type { Place } from './pageCursor.ts';

export interface EntitlementSearch extends Somebody {
  active: boolean | null;
  after: Place | null;
  now: Date;
  limit: number;
}

export type PlacedEntitlement = DeviceEntitlement & { position: string };

/** Not prepared: which index serves it depends on the filters and on the values. `few` as `hasFew` says. */
export const entitlementPage = (
  search: EntitlementSearch,
  few: boolean,
): Sql => sql`/* purchases: findEntitlementPage */
  SELECT ${entitlementColumns},
    concat_ws(' ', (extract(epoch FROM e.purchased_at) * 1000000)::bigint, e.line_id) AS position
  FROM (${linesOf(search, few)}) page
  JOIN store_entitlements e ON e.line_id = page.line_id AND e.application_id = ${search.applicationId}
  LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
  ORDER BY e.purchased_at DESC, e.line_id DESC`;

function linesOf(search: EntitlementSearch, few: boolean): Sql {
  const { applicationId, externalId, heldBy, active, now, limit } = search;
  const isSomebody = externalId !== null || heldBy !== null;
  if (isSomebody && few) {
    return firstLines(search, linesRead(search), active === null ? empty : sql` AND ${isActiveAt(now, active)}`);
  }
  const all = sql`store_entitlements`;
  const held = isSomebody ? isHeld(search) : empty;
  if (active === null) return firstLines(search, all, held);
  // Two reads that an index serves each. One condition for both would read each of a million lines to find a page.
  const lasting = sql` AND e.product_id = p.product_id AND ${isByDuration} AND ${lasts(now, active)}${held}`;
  return sql`SELECT line_id FROM (
      (${firstLines(search, all, sql` AND ${endsAfter(now, active)}${held}`)})
      UNION ALL
      SELECT lasting.* FROM store_products p CROSS JOIN LATERAL (${firstLines(search, all, lasting)}) lasting
      WHERE p.application_id = ${applicationId}) fitting
    ORDER BY purchased_at DESC, line_id DESC LIMIT ${limit}`;
}

/** `OFFSET 0` has these lines read first: to walk through all others for a page takes seconds. */
function linesRead({ applicationId, externalId, heldBy }: EntitlementSearch): Sql {
  const held = [
    ...(externalId === null ? [] : [sql` AND h.line_id IN (${linesOfExternalId(applicationId, externalId)})`]),
    ...(heldBy === null ? [] : [sql` AND h.line_id IN (${linesOfDevice(applicationId, heldBy)})`]),
  ];
  return sql`(SELECT h.* FROM store_entitlements h WHERE h.application_id = ${applicationId}${concat(held)} OFFSET 0)`;
}

function isHeld({ applicationId, externalId, heldBy }: EntitlementSearch): Sql {
  return concat([
    ...(externalId === null ? [] : [sql` AND ${isLineOfExternalId(sql`e`, applicationId, externalId)}`]),
    ...(heldBy === null ? [] : [sql` AND e.line_id IN (${linesOfDevice(applicationId, heldBy)})`]),
  ]);
}

function firstLines({ applicationId, after, limit }: EntitlementSearch, lines: Sql, condition: Sql): Sql {
  const place = after && sql` AND (e.purchased_at, e.line_id) < (${after.instants[0]}::timestamptz, ${after.id})`;
  return sql`SELECT e.line_id, e.purchased_at FROM ${lines} e
    WHERE e.application_id = ${applicationId}${condition}${place ?? empty}
    ORDER BY e.purchased_at DESC, e.line_id DESC LIMIT ${limit}`;
}

/** Newest first. */
export async function findEntitlementPage(
  connection: SqlConnection,
  search: EntitlementSearch,
): Promise<PlacedEntitlement[]> {
  const few = await hasFew(connection, search);
  const { rows } = await connection.query<EntitlementRow & { position: string }>(entitlementPage(search, few));
  return rows.map(({ position, ...row }) => ({ ...shownEntitlement(row, search.now), position }));
}
