// Stores one notification with what it says about transactions, or nothing where it is known.
import { plainArray, prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { StoreApp, StoreNotification } from './storeClient.ts';
import { storeStatement } from './storeStatement.ts';

/** `repeated`: it was known. `kept`: it says nothing about a transaction. */
export type NotificationOutcome = 'stored' | 'kept' | 'repeated';

interface NotificationArrival {
  applicationId: string;
  notification: StoreNotification;
  /** It comes from the store's history. */
  fetched: boolean;
  now: Date;
}

/**
 * The kind of a notification decides nothing: the transaction and the renewal that it carries are the store's statement,
 * and of two statements the later signed one holds. So the order of arrival does not matter.
 */
export async function keepNotification(
  transaction: Transaction,
  { applicationId, notification, fetched, now }: NotificationArrival,
): Promise<NotificationOutcome> {
  const { id, environment, type, subtype, signedAt, transactions, renewals } = notification;
  // Waits for another transaction that stores the same notification, until it has ended.
  const { rowCount } = await transaction.query(prepared('insert_notification')`/* purchases: insertNotification */
    INSERT INTO store_notifications (id, application_id, environment, type, subtype, signed_at, received_at, fetched)
    VALUES (${id}::uuid, ${applicationId}::uuid, ${environment}::store_environment, ${type}, ${subtype}, ${signedAt},
      ${now}, ${fetched})
    ON CONFLICT (id, application_id) DO NOTHING`);
  if (rowCount === 0) return 'repeated';
  if (transactions.length === 0) return 'kept';
  const statement = { applicationId, environment, transactions, renewals };
  await storeStatement(transaction, statement, { now });
  return 'stored';
}

/** An application as the store's notifications find it. */
export interface NotifiedApplication {
  id: string;
  app: StoreApp;
}

/** By their ids, without those that do not exist or are deleted. They need no store credentials. */
export async function findNotifiedApplications(
  connection: SqlConnection,
  applicationIds: readonly string[],
): Promise<Map<string, NotifiedApplication>> {
  const ids = plainArray([...new Set(applicationIds)]);
  const statement = prepared('find_notified_applications')`/* purchases: findNotifiedApplications */
    SELECT a.id, coalesce(c.bundle_id, a.bundle_id) AS "bundleId", a.store_app_id AS "appId"
    FROM applications a LEFT JOIN store_credentials c ON c.application_id = a.id
    WHERE a.id = ANY(${ids}::uuid[]) AND a.deleted_at IS NULL`;
  const { rows } = await connection.query<{ id: string; bundleId: string; appId: string | null }>(statement);
  const appOf = ({ bundleId, appId }: (typeof rows)[0]) => ({ bundleId, appId: appId === null ? null : Number(appId) });
  return new Map(rows.map((row) => [row.id, { id: row.id, app: appOf(row) }]));
}
