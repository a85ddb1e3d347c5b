// EVENT_RETENTION_DAYS: removes old transactions that the store does not know or that failed, with the uploads that named them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { sql } from '../platform/database/sql.ts';
import { inRemovalTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';
import type { TransactionKey } from './storeTransactionsStore.ts';

/** One batch takes some 130 ms. The pause leaves the database to uploads. `most` batches are a run. */
const batch = { transactions: 100, claims: 1_000, pauseMillis: 20, most: 1_000 };

type Size = Pick<typeof batch, 'transactions' | 'claims'>;

/** Any number of processes may run it, and a killed one leaves nothing half done. */
export async function removeUnresolved(
  pool: Pool,
  { daysKept, log, size = batch }: { daysKept: number; log: Log; size?: Size },
): Promise<void> {
  let after: Unresolved | null = null;
  let removed = 0;
  for (let round = 0; round < batch.most; round++) {
    const search = { after, daysKept, size };
    const result: Batch = await inRemovalTransaction(pool, (transaction) => removeBatch(transaction, search));
    removed += result.removed;
    if (result.last === null) break;
    // More claims than one batch may remove: the same transactions once more.
    if (!result.moreClaims) after = result.last;
    await sleep(batch.pauseMillis);
  }
  if (removed > 0) log.info({ transactions: removed }, 'old transactions without a result were removed');
}

interface Batch {
  removed: number;
  /** Null where none was found. */
  last: Unresolved | null;
  moreClaims: boolean;
}

async function removeBatch(
  transaction: Transaction,
  { after, daysKept, size }: { after: Unresolved | null; daysKept: number; size: Size },
): Promise<Batch> {
  const found = await lockUnresolved(transaction, { after, daysKept, limit: size.transactions });
  let room = size.claims;
  for (const key of found) {
    if (room <= 0) break;
    const deviceKeys = await deleteOldClaims(transaction, key, { daysKept, limit: room });
    if (deviceKeys.length > 0)
      await transaction.query(sql`/* purchases: forgetUploads */
        DELETE FROM store_transaction_devices
        WHERE device_key = ANY(${[...new Set(deviceKeys)]}::uuid[]) AND transaction_id = ${key.transactionId}`);
    room -= deviceKeys.length;
  }
  const removed = await deleteUnclaimed(transaction, found);
  return { removed, last: found.at(-1) ?? null, moreClaims: room <= 0 };
}

interface Unresolved extends TransactionKey {
  /** To the microsecond. */
  receivedAt: string;
}

/**
 * The next ones whose last look-up is old as well, locked until the transaction ends. Those that an upload or a look-up
 * holds are left out. What the store has signed is never among them, and nothing that asks for a look-up.
 */
async function lockUnresolved(
  transaction: Transaction,
  { after, daysKept, limit }: { after: Unresolved | null; daysKept: number; limit: number },
): Promise<Unresolved[]> {
  const from = after ?? { receivedAt: '-infinity', transactionId: '', applicationId: null };
  const { rows } = await transaction.query<Unresolved>(sql`/* purchases: lockUnresolved */
    SELECT id AS "transactionId", application_id AS "applicationId", received_at::text AS "receivedAt"
    FROM store_transactions
    WHERE state IN ('NOT_FOUND', 'FAILED') AND received_at < now() - make_interval(days => ${daysKept})
      AND (received_at, id, application_id) > (${from.receivedAt}::timestamptz, ${from.transactionId},
        coalesce(${from.applicationId}::uuid, '00000000-0000-0000-0000-000000000000'))
      AND coalesce(greatest(resolved_at, last_looked_up_at), received_at) < now() - make_interval(days => ${daysKept})
      AND NOT waits AND look_up_at IS NULL AND (looking_until IS NULL OR looking_until < now()) AND signed_at IS NULL AND line_id IS NULL
    ORDER BY received_at, id, application_id LIMIT ${limit} FOR UPDATE SKIP LOCKED`);
  return rows;
}

/**
 * At most `limit` claims on one of them by devices that have not uploaded it lately. Anybody can name one id from any number of
 * devices. Resolves to those devices, one for each claim.
 */
async function deleteOldClaims(
  transaction: Transaction,
  { transactionId, applicationId }: TransactionKey,
  { daysKept, limit }: { daysKept: number; limit: number },
): Promise<string[]> {
  const { rows } = await transaction.query<{ key: string }>(sql`/* purchases: deleteOldClaims */
    WITH batch AS MATERIALIZED (
      SELECT c.uploaded_by, c.external_id FROM store_claims c
      WHERE c.transaction_id = ${transactionId} AND c.application_id = ${applicationId}::uuid AND NOT EXISTS (
        SELECT FROM store_claims r WHERE r.transaction_id = c.transaction_id AND r.application_id = c.application_id
          AND r.uploaded_by = c.uploaded_by
          AND r.arrivals[cardinality(r.arrivals)] >= now() - make_interval(days => ${daysKept}))
      LIMIT ${limit})
    DELETE FROM store_claims c USING batch
    WHERE c.transaction_id = ${transactionId} AND c.application_id = ${applicationId}::uuid
      AND c.uploaded_by = batch.uploaded_by AND c.external_id = batch.external_id
    RETURNING c.uploaded_by AS key`);
  return rows.map(({ key }) => key);
}

/** Those that no device claims any more. Resolves to their number. */
async function deleteUnclaimed(transaction: Transaction, keys: readonly TransactionKey[]): Promise<number> {
  const ids = keys.map(({ transactionId }) => transactionId);
  const applicationIds = keys.map(({ applicationId }) => applicationId);
  const { rowCount } = await transaction.query(sql`/* purchases: deleteUnclaimed */
    DELETE FROM store_transactions t USING unnest(${ids}::text[], ${applicationIds}::uuid[]) AS b (id, application_id)
    WHERE t.id = b.id AND t.application_id = b.application_id AND t.state IN ('NOT_FOUND', 'FAILED')
      AND NOT EXISTS (SELECT FROM store_claims c WHERE c.transaction_id = t.id AND c.application_id = t.application_id)`);
  return rowCount ?? 0;
}
