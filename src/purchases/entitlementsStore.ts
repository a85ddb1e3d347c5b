// The SQL of entitlements and of a device's store transactions.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { isActive, type Entitlement } from './entitlement.ts';
import type { TransactionState } from './storeTransactionsStore.ts';

/** A response about an older period, or an older response about the same period, changes nothing. So the order of arrival does not matter. */
export async function upsertEntitlement(
  transaction: Transaction,
  applicationId: string,
  entitlement: Entitlement,
): Promise<void> {
  const { lineId, productId, kind, environment, autoRenew } = entitlement;
  const { purchasedAt, expiresAt, graceExpiresAt, revokedAt, signedAt } = entitlement;
  await transaction.query(prepared('upsert_entitlement')`/* purchases: upsertEntitlement */
    INSERT INTO store_entitlements AS e (line_id, application_id, product_id, kind, environment, auto_renew,
      purchased_at, expires_at, grace_expires_at, revoked_at, signed_at)
    VALUES (${lineId}, ${applicationId}, ${productId}, ${kind}::entitlement_kind, ${environment}::store_environment,
      ${autoRenew}, ${purchasedAt}, ${expiresAt}, ${graceExpiresAt}, ${revokedAt}, ${signedAt})
    ON CONFLICT (line_id, application_id) DO UPDATE SET
      product_id = excluded.product_id, kind = excluded.kind, environment = excluded.environment,
      auto_renew = excluded.auto_renew, purchased_at = excluded.purchased_at, expires_at = excluded.expires_at,
      grace_expires_at = excluded.grace_expires_at, revoked_at = excluded.revoked_at,
      signed_at = excluded.signed_at, updated_at = excluded.updated_at
    WHERE (excluded.purchased_at, excluded.signed_at) > (e.purchased_at, e.signed_at)`);
}

export interface DeviceTransaction {
  id: string;
  state: TransactionState;
  reason: string | null;
  receivedAt: Date;
  resolvedAt: Date | null;
}

interface DeviceRows {
  deviceKey: string;
  limit: number;
}

/** Newest first. */
export async function storeTransactionsOfDevice(
  connection: SqlConnection,
  { deviceKey, limit }: DeviceRows,
): Promise<DeviceTransaction[]> {
  const statement = prepared('store_transactions_of_device')`/* purchases: storeTransactionsOfDevice */
    WITH uploaded AS MATERIALIZED (
      SELECT transaction_id, application_id FROM store_transaction_devices WHERE device_key = ${deviceKey})
    SELECT t.id, t.state, t.reason, t.received_at AS "receivedAt", t.resolved_at AS "resolvedAt"
    FROM uploaded u
    JOIN store_transactions t ON t.id = u.transaction_id AND t.application_id = u.application_id
    ORDER BY t.received_at DESC, t.id LIMIT ${limit}`;
  const { rows } = await connection.query<DeviceTransaction>(statement);
  return rows;
}

export type DeviceEntitlement = Omit<Entitlement, 'lineId' | 'graceExpiresAt' | 'signedAt'> & { active: boolean };

/** Newest purchase first. One entitlement for each line, however many of its transactions the device uploaded. */
export async function entitlementsOfDevice(
  connection: SqlConnection,
  { deviceKey, limit, now }: DeviceRows & { now: Date },
): Promise<DeviceEntitlement[]> {
  const statement = prepared('entitlements_of_device')`/* purchases: entitlementsOfDevice */
    WITH uploaded AS MATERIALIZED (
      SELECT transaction_id, application_id FROM store_transaction_devices WHERE device_key = ${deviceKey}
    ), lines AS MATERIALIZED (
      SELECT DISTINCT t.line_id, t.application_id FROM uploaded u
      JOIN store_transactions t ON t.id = u.transaction_id AND t.application_id = u.application_id
      WHERE t.state = 'RESOLVED')
    SELECT e.product_id AS "productId", e.kind, e.environment, e.auto_renew AS "autoRenew",
      e.purchased_at AS "purchasedAt", e.expires_at AS "expiresAt", e.grace_expires_at AS "graceExpiresAt",
      e.revoked_at AS "revokedAt"
    FROM lines l JOIN store_entitlements e ON e.line_id = l.line_id AND e.application_id = l.application_id
    ORDER BY e.purchased_at DESC, e.line_id LIMIT ${limit}`;
  const { rows } = await connection.query<Omit<Entitlement, 'lineId' | 'signedAt'>>(statement);
  return rows.map(({ graceExpiresAt, ...shown }) => ({
    ...shown,
    active: isActive({ ...shown, graceExpiresAt }, now),
  }));
}
