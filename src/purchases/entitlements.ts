// query entitlements: what the customers of an application own, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryEntitlementsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import { concat, empty, raw, sql, type Sql, type SqlConnection } from '../platform/database/sql.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';
import {
  type DeviceEntitlement,
  entitlementColumns,
  type EntitlementRow,
  shownEntitlement,
} from './entitlementsStore.ts';
import {
  hasFew,
  isLineOfExternalId,
  linesOfDevice,
  linesOfExternalId,
  type Page,
  pageOf,
  type Place,
  readCursor,
  readFilter,
  type Somebody,
} from './lists.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
  now(): Date;
}

type Args = Partial<QueryEntitlementsArgs> & Pick<QueryEntitlementsArgs, 'applicationId'>;

const cursor = { list: 'entitlements', instants: 1 } as const;

/** Throws `validation_failed`, `not_found` (the application). */
export async function entitlements(args: Args, needs: Needs): Promise<Page<PlacedEntitlement>> {
  const { adminPool, budget, now } = needs;
  const { limit, ...filters } = read(args);
  await assertOwnApplication(needs, args.applicationId);
  const rows = await withinBudget(budget, (room) =>
    findEntitlementPage(adminPool, { ...filters, now: now(), limit: Math.min(limit, room.limit) + 1 }),
  );
  return pageOf(cursor, rows, limit);
}

function read({ applicationId, externalId, deviceId, active = null, limit, after }: Args) {
  const rules = inputRules();
  const device = readFilter(rules, 'deviceId', deviceId);
  const filters = {
    ...{ applicationId, active },
    externalId: readFilter(rules, 'externalId', externalId),
    heldBy: device === null ? null : deviceKey(applicationId, device),
    limit: readLimit(rules, limit, { byDefault: 100 }),
    after: readCursor(rules, cursor, after),
  };
  rules.assert();
  return filters;
}

export interface EntitlementSearch extends Somebody {
  active: boolean | null;
  after: Place | null;
  now: Date;
  limit: number;
}

type PlacedEntitlement = DeviceEntitlement & { position: string };

/** SQL, because of its plan. Not prepared: which index serves it depends on the filters and on the values. `few` as `hasFew` says. */
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

/**
 * `isActive` of entitlement.ts; a test compares them over drawn lines. Until when the line `e` is active, as an index has it, so that a page reads only lines that fit. Null where the product's
 * duration decides. `AT TIME ZONE` twice: an index takes no sum of a timestamptz. `greatest` ignores nulls.
 */
const endsAt = raw(`CASE WHEN e.revoked_at IS NOT NULL THEN '-infinity'::timestamptz
  WHEN e.expires_at IS NULL THEN CASE WHEN e.kind <> 'NON_RENEWING' THEN 'infinity'::timestamptz END
  ELSE greatest(e.expires_at, e.grace_expires_at, CASE WHEN e.kind = 'AUTO_RENEWABLE' AND e.auto_renew
    AND NOT e.in_billing_retry AND NOT e.ended
    AND e.looked_up_at < (e.expires_at AT TIME ZONE 'UTC' + interval '60 seconds') AT TIME ZONE 'UTC'
    THEN (e.expires_at AT TIME ZONE 'UTC' + interval '1 hour') AT TIME ZONE 'UTC' END) END`);

/** Lines for which `endsAt` is null, as an index has them. */
const isByDuration = raw(`e.kind = 'NON_RENEWING' AND e.expires_at IS NULL AND e.revoked_at IS NULL`);

/** True or false, null where the product's duration decides. */
const endsAfter = (now: Date, active: boolean): Sql =>
  active ? sql`${endsAt} > ${now}::timestamptz` : sql`${endsAt} <= ${now}::timestamptz`;

/**
 * Of a line for which the product `p` decides, which is known by then (`nameProducts`): without a duration it does not end.
 * A day has 24 hours, as in `withDuration`.
 */
const lasts = (now: Date, active: boolean): Sql => {
  const begun = sql`coalesce(${now}::timestamptz - p.duration_days * interval '24 hours', '-infinity')`;
  return active ? sql`e.purchased_at > ${begun}` : sql`e.purchased_at <= ${begun}`;
};

/** Of any line; for few of them, because no index serves it. */
const isActiveAt = (now: Date, active: boolean): Sql =>
  sql`coalesce(${endsAfter(now, active)}, (SELECT ${lasts(now, active)} FROM store_products p
    WHERE p.application_id = e.application_id AND p.product_id = e.product_id))`;
