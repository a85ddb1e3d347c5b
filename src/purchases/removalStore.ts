// The SQL that removes the store transactions, entitlements and credentials of a deleted application.
import type { Pool } from 'pg';
import { prepared, raw, sql, type SqlConnection } from '../platform/database/sql.ts';
import { inRemovalTransaction } from '../platform/database/transaction.ts';

const batchSize = 1_000;

/** Each table with the columns of its key beside the application. */
const tables = [
  { name: 'store_transaction_devices', key: ['device_key', 'transaction_id'] },
  { name: 'store_transactions', key: ['id', 'application_id'] },
  { name: 'store_claims', key: ['transaction_id', 'application_id', 'uploaded_by', 'external_id'] },
  { name: 'store_holders', key: ['line_id', 'application_id', 'held_by', 'external_id'] },
  { name: 'store_renewal_changes', key: ['line_id', 'application_id', 'signed_at'] },
  { name: 'store_products', key: ['application_id', 'product_id'] },
  { name: 'store_notifications', key: ['id', 'application_id'] },
  { name: 'store_entitlements', key: ['line_id', 'application_id'] },
];

/** Removes one batch from each table; true when more may be left. */
export function removePurchases(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    let more = false;
    for (const { name, key } of tables) {
      const [table, columns] = [raw(name), raw(key.join(', '))];
      const isInBatch = raw(key.map((column) => `t.${column} = batch.${column}`).join(' AND '));
      const statement = prepared(`remove_${name}`)`/* purchases: removePurchases */
        WITH batch AS MATERIALIZED (
          SELECT ${columns} FROM ${table} WHERE application_id = ${applicationId} LIMIT ${batchSize})
        DELETE FROM ${table} t USING batch WHERE ${isInBatch}`;
      const { rowCount } = await transaction.query(statement);
      more ||= rowCount === batchSize;
    }
    return more;
  });
}

/** Removes the credentials, so that no further call to the store is made. */
export async function removeStoreAccess(connection: SqlConnection, applicationId: string): Promise<void> {
  for (const name of ['store_credentials', 'store_call_slots', 'store_notification_reads']) {
    await connection.query(sql`/* purchases: removeStoreAccess */
      DELETE FROM ${raw(name)} WHERE application_id = ${applicationId}`);
  }
}
