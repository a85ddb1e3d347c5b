// The lines that somebody holds, and what somebody uploaded, as subqueries of SQL: schema.graphql, "Owners".
import { sql, type Sql } from '../platform/database/sql.ts';
import { isUuid } from './lineHolders.ts';

/**
 * The ids of the lines that an external id holds, some twice. The owner of a line by an account token holds it also while no
 * upload has named that owner: the store is the witness.
 */
export const linesOfExternalId = (applicationId: string, externalId: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE application_id = ${applicationId} AND external_id = ${externalId}
  UNION ALL SELECT line_id FROM store_entitlements
  WHERE application_id = ${applicationId} AND account_token IS NOT NULL
    AND lower(owner_external_id) = lower(${externalId}) AND (${isUuid(externalId)} OR owner_external_id = ${externalId})`;

export const linesOfDevice = (applicationId: string, heldBy: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE held_by = ${heldBy} AND application_id = ${applicationId}`;

/** The ids of the transactions that were uploaded with an external id, some twice. */
export const uploadsWith = (applicationId: string, externalId: string): Sql => sql`
  SELECT transaction_id FROM store_claims WHERE application_id = ${applicationId} AND external_id = ${externalId}`;
