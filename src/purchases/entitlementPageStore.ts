// The SQL of a page of an application's entitlements.
import { concat, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { activeAt } from './activeSql.ts';
import {
  entitlementColumns,
  shownEntitlement,
  type DeviceEntitlement,
  type EntitlementRow,
} from './entitlementsStore.ts';
import { isHeld } from './heldSql.ts';
import type { Place } from './pageCursor.ts';

export interface EntitlementSearch {
  applicationId: string;
  externalId: string | null;
  /** The key of the device. */
  heldBy: string | null;
  active: boolean | null;
  after: Place | null;
  now: Date;
  limit: number;
}

export type PlacedEntitlement = DeviceEntitlement & { position: string };

/** Not prepared: which index serves it depends on the filters and on the values. */
export const entitlementPage = (search: EntitlementSearch) => sql`/* purchases: findEntitlementPage */
  SELECT ${entitlementColumns}, page.position
  FROM (
    SELECT e.line_id, concat_ws(' ', (extract(epoch FROM e.purchased_at) * 1000000)::bigint, e.line_id) AS position
    FROM store_entitlements e
    WHERE e.application_id = ${search.applicationId}${concat(conditions(search))}
    ORDER BY e.purchased_at DESC, e.line_id DESC LIMIT ${search.limit}) page
  JOIN store_entitlements e ON e.line_id = page.line_id AND e.application_id = ${search.applicationId}
  LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
  ORDER BY e.purchased_at DESC, e.line_id DESC`;

function conditions({ active, after, now, ...held }: EntitlementSearch) {
  return [
    ...isHeld(held),
    ...(active === null ? [] : [active ? sql` AND ${activeAt(now)}` : sql` AND NOT ${activeAt(now)}`]),
    ...(after ? [sql` AND (e.purchased_at, e.line_id) < (${after.instants[0]}::timestamptz, ${after.id})`] : []),
  ];
}

/** Newest first. */
export async function findEntitlementPage(
  connection: SqlConnection,
  search: EntitlementSearch,
): Promise<PlacedEntitlement[]> {
  const { rows } = await connection.query<EntitlementRow & { position: string }>(entitlementPage(search));
  return rows.map(({ position, ...row }) => ({ ...shownEntitlement(row, search.now), position }));
}
