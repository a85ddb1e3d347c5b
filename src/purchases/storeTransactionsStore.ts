// The SQL of store transactions: which are known, which devices uploaded them, and how far each has come.
import type { ClientBase } from 'pg';
import { addResolveJobs } from './storeJobs.ts';

type Client = Pick<ClientBase, 'query'>;

export interface TransactionReport {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  externalId: string | null;
  /** Unique and sorted. */
  transactionIds: string[];
}

export type TransactionState = 'PENDING' | 'RESOLVED' | 'NOT_FOUND' | 'FAILED';

export interface TransactionKey {
  applicationId: string;
  transactionId: string;
}

/** One transaction of the database is the caller's: ids and jobs become visible together, on a cluster too. */
export async function storeTransactionReport(client: Client, report: TransactionReport): Promise<void> {
  const { applicationId, deviceKey, deviceId, externalId, transactionIds } = report;
  const { rows } = await client.query<{ id: string }>({
    name: 'insert_store_transactions',
    text: `/* purchases: storeTransactionReport */
      INSERT INTO store_transactions (id, application_id)
      SELECT id, $2 FROM unnest($1::text[]) AS t (id)
      ON CONFLICT DO NOTHING RETURNING id`,
    values: [transactionIds, applicationId],
  });
  await client.query({
    name: 'insert_store_transaction_devices',
    text: `/* purchases: storeTransactionReport */
      INSERT INTO store_transaction_devices AS d (device_key, transaction_id, application_id, device_id, external_id)
      SELECT $1, id, $2, $3, $4 FROM unnest($5::text[]) AS t (id)
      ON CONFLICT (device_key, transaction_id) DO UPDATE SET external_id = excluded.external_id
      WHERE excluded.external_id IS DISTINCT FROM d.external_id AND excluded.external_id IS NOT NULL`,
    values: [deviceKey, applicationId, deviceId, externalId, transactionIds],
  });
  await addResolveJobs(
    client,
    rows.map(({ id }) => ({ applicationId, transactionId: id })),
  );
}

/** What failed for reasons of our own is open again once its job is run again. */
const isOpen = `(state = 'PENDING' OR reason = 'internal_error')`;

/** False, too, where there is no such transaction. */
export async function isTransactionOpen(
  client: Client,
  { applicationId, transactionId }: TransactionKey,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is_transaction_open',
    text: `/* purchases: isTransactionOpen */
      SELECT FROM store_transactions WHERE id = $1 AND application_id = $2 AND ${isOpen}`,
    values: [transactionId, applicationId],
  });
  return rowCount === 1;
}

/** The reasons that new credentials can take away. */
const parkedReasons = ['no_credentials', 'credentials_refused', 'credentials_unreadable'] as const;
export type ParkedReason = (typeof parkedReasons)[number];

export interface TransactionOutcome {
  state: TransactionState;
  reason: string | null;
  lineId: string | null;
}

/** A final state of the store's stays: whoever comes second changes nothing. Answers whether this was the first. */
export async function saveTransactionOutcome(
  client: Client,
  { applicationId, transactionId }: TransactionKey,
  { state, reason, lineId }: TransactionOutcome,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'save_transaction_outcome',
    text: `/* purchases: saveTransactionOutcome */
      UPDATE store_transactions SET state = $3::store_transaction_state, reason = $4, line_id = $5,
        resolved_at = CASE WHEN $3::store_transaction_state <> 'PENDING' THEN now() END
      WHERE id = $1 AND application_id = $2 AND ${isOpen}`,
    values: [transactionId, applicationId, state, reason, lineId],
  });
  return rowCount === 1;
}

/** The next ids that wait for credentials, in their order, after the given one; the others have a job of their own. */
export async function findParkedTransactions(
  client: Client,
  { applicationId, after, limit }: { applicationId: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find_parked_transactions',
    text: `/* purchases: findParkedTransactions */
      SELECT id FROM store_transactions
      WHERE application_id = $1 AND state = 'PENDING' AND reason = ANY($4) AND id > $2 ORDER BY id LIMIT $3`,
    values: [applicationId, after, limit, parkedReasons],
  });
  return rows.map(({ id }) => id);
}
