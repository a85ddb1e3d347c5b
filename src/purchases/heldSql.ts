// What somebody holds and uploaded, as parts of SQL: schema.graphql, "Owners".
import { prepared, sql, type Sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { isUuid } from '../platform/uuid.ts';

export interface Somebody {
  applicationId: string;
  externalId: string | null;
  /** The key of the device. */
  heldBy: string | null;
}

/** The owner of a line by an account token holds it also while no upload has named that owner: the store is the witness. */
const isOwner = (
  externalId: string,
) => sql`account_token IS NOT NULL AND lower(owner_external_id) = lower(${externalId})
  AND (${isUuid(externalId)} OR owner_external_id = ${externalId})`;

/** The ids of the lines that an external id holds, some twice. */
export const linesOfExternalId = (applicationId: string, externalId: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE application_id = ${applicationId} AND external_id = ${externalId}
  UNION ALL SELECT line_id FROM store_entitlements
  WHERE application_id = ${applicationId} AND ${isOwner(externalId)}`;

export const linesOfDevice = (applicationId: string, heldBy: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE held_by = ${heldBy} AND application_id = ${applicationId}`;

/** The ids of the transactions that were uploaded with an external id, some twice. */
export const uploadsWith = (applicationId: string, externalId: string): Sql => sql`
  SELECT transaction_id FROM store_claims WHERE application_id = ${applicationId} AND external_id = ${externalId}`;

/** Whether an external id holds the line of a row, asked for each row. */
export const isLineOfExternalId = (row: Sql, applicationId: string, externalId: string): Sql => sql`
  (EXISTS (SELECT FROM store_holders x
    WHERE x.line_id = ${row}.line_id AND x.application_id = ${applicationId} AND x.external_id = ${externalId})
  OR EXISTS (SELECT FROM store_entitlements x
    WHERE x.line_id = ${row}.line_id AND x.application_id = ${applicationId} AND ${isOwner(externalId)}))`;

/** So many rows are read and sorted in less than half a second. */
const few = 20_000;

/**
 * Whether somebody holds and has uploaded so little that it is read before the rest of the application. An app that calls
 * all its users `unknown` has nearly everything with one external id: then a page is found sooner in the order of the list.
 */
export async function hasFew(
  connection: SqlConnection,
  { applicationId, externalId, heldBy }: Somebody,
): Promise<boolean> {
  const counts: number[] = [];
  if (externalId !== null) {
    const statement = prepared('count_of_external_id')`/* purchases: countOfExternalId */
      SELECT count(*)::int AS count FROM (SELECT FROM (${linesOfExternalId(applicationId, externalId)}
        UNION ALL ${uploadsWith(applicationId, externalId)}) held LIMIT ${few + 1}) counted`;
    counts.push((await connection.query<{ count: number }>(statement)).rows[0]!.count);
  } else if (heldBy !== null) {
    const uploads = prepared('count_uploads_of_device')`/* purchases: countUploadsOfDevice */
      SELECT count(*)::int AS count FROM (
        SELECT FROM store_transaction_devices WHERE device_key = ${heldBy} LIMIT ${few + 1}) counted`;
    const lines = prepared('count_lines_of_device')`/* purchases: countLinesOfDevice */
      SELECT count(*)::int AS count FROM (SELECT FROM (${linesOfDevice(applicationId, heldBy)}) held LIMIT ${few + 1}) counted`;
    for (const statement of [uploads, lines]) {
      counts.push((await connection.query<{ count: number }>(statement)).rows[0]!.count);
    }
  }
  return counts.every((count) => count <= few);
}
