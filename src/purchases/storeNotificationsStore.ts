// The SQL of the store's notifications: the application that the store names, and each notification once.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { StoreApp, StoreNotification } from './storeClient.ts';

/** An application as the store's notifications find it. */
export interface NotifiedApplication {
  id: string;
  app: StoreApp;
}

/** Null when there is no such application, or it is deleted. It needs no store credentials. */
export async function findNotifiedApplication(
  connection: SqlConnection,
  applicationId: string,
): Promise<NotifiedApplication | null> {
  const statement = prepared('find_notified_application')`/* purchases: findNotifiedApplication */
    SELECT coalesce(c.bundle_id, a.bundle_id) AS "bundleId", a.store_app_id AS "appId"
    FROM applications a LEFT JOIN store_credentials c ON c.application_id = a.id
    WHERE a.id = ${applicationId}::uuid AND a.deleted_at IS NULL`;
  const { rows } = await connection.query<{ bundleId: string; appId: string | null }>(statement);
  const row = rows[0];
  if (!row) return null;
  return { id: applicationId, app: { bundleId: row.bundleId, appId: row.appId === null ? null : Number(row.appId) } };
}

interface NewNotification {
  applicationId: string;
  notification: StoreNotification;
  receivedAt: Date;
  /** It comes from the store's history. */
  fetched: boolean;
}

/** False for a known one. Waits for another transaction that stores the same notification, until it has ended. */
export async function insertNotification(
  transaction: Transaction,
  { applicationId, notification: { id, environment, type, subtype, signedAt }, receivedAt, fetched }: NewNotification,
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('insert_notification')`/* purchases: insertNotification */
    INSERT INTO store_notifications (id, application_id, environment, type, subtype, signed_at, received_at, fetched)
    VALUES (${id}::uuid, ${applicationId}::uuid, ${environment}::store_environment, ${type}, ${subtype}, ${signedAt},
      ${receivedAt}, ${fetched})
    ON CONFLICT (id, application_id) DO NOTHING`);
  return rowCount === 1;
}
