// The SQL that removes the store transactions, entitlements and credentials of a deleted application.
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';

const batchSize = 1_000;

/** Each with the rest of its key beside the application. */
const tables = [
  { name: 'store_transaction_devices', key: ['device_key', 'transaction_id'] },
  { name: 'store_transactions', key: ['id', 'application_id'] },
  { name: 'store_entitlements', key: ['line_id', 'application_id'] },
];

/** One batch of each; answers whether there may be more. */
export function removePurchases(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    let more = false;
    for (const { name, key } of tables) {
      const { rowCount } = await transaction.query({
        name: `remove_${name}`,
        text: `/* purchases: removePurchases */
        WITH batch AS MATERIALIZED (SELECT ${key.join(', ')} FROM ${name} WHERE application_id = $1 LIMIT $2)
        DELETE FROM ${name} t USING batch WHERE ${key.map((column) => `t.${column} = batch.${column}`).join(' AND ')}`,
        values: [applicationId, batchSize],
      });
      more ||= rowCount === batchSize;
    }
    return more;
  });
}

/** What calls to the store need, so that no more are made. */
export async function removeStoreAccess(pool: Pool, applicationId: string): Promise<void> {
  for (const name of ['store_credentials', 'store_call_slots']) {
    await pool.query(`/* purchases: removeStoreAccess */ DELETE FROM ${name} WHERE application_id = $1`, [
      applicationId,
    ]);
  }
}
