// The SQL of the store's notifications: the application that the store names, and each notification once.
import { plainArray } from '../platform/database/arrayLiteral.ts';
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { StoreApp, StoreNotification } from './storeClient.ts';

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
