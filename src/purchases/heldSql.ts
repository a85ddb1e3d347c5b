// The lines that somebody holds, as subqueries of SQL: schema.graphql, "Owners".
import { sql, type Sql } from '../platform/database/sql.ts';
import { isUuid } from './lineHolders.ts';

interface Holding {
  applicationId: string;
  externalId: string | null;
  /** The key of the device. */
  heldBy: string | null;
}

/**
 * The ids of the lines that an external id holds. A line with an account token has its owner from the store, also while no
 * upload has named that owner.
 */
export function linesOfExternalId(applicationId: string, externalId: string): Sql {
  return sql`SELECT line_id FROM store_holders WHERE application_id = ${applicationId} AND external_id = ${externalId}
    UNION SELECT line_id FROM store_entitlements
    WHERE application_id = ${applicationId} AND lower(owner_external_id) = lower(${externalId})
      AND (owner_external_id = ${externalId} OR account_token IS NOT NULL AND ${isUuid(externalId)})`;
}

export function linesOfDevice(applicationId: string, heldBy: string): Sql {
  return sql`SELECT line_id FROM store_holders WHERE held_by = ${heldBy} AND application_id = ${applicationId}`;
}

/** Conditions on `e.line_id`, one for each of the two that is given. */
export function isHeld({ applicationId, externalId, heldBy }: Holding): Sql[] {
  return [
    ...(externalId === null ? [] : [sql` AND e.line_id IN (${linesOfExternalId(applicationId, externalId)})`]),
    ...(heldBy === null ? [] : [sql` AND e.line_id IN (${linesOfDevice(applicationId, heldBy)})`]),
  ];
}
