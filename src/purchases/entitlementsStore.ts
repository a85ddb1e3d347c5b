// Store transactions and entitlements as the admin API shows them, and those that a device has.
import type { StoreTransaction } from '../../generated/prisma/client.ts';
import { digitsOf } from '../platform/currencyDigits.ts';
import { prepared, raw, type SqlConnection } from '../platform/database/sql.ts';
import { type Entitlement, isActive, withDuration } from './entitlement.ts';
import type { Owner } from './lineHolders.ts';
import type { SignedTransaction } from './storeClient.ts';

type Own = 'id' | 'state' | 'reason' | 'receivedAt' | 'resolvedAt' | 'lastLookedUpAt' | 'lastLookUpError';
type FromStore =
  | ('productId' | 'kind' | 'purchasedAt' | 'expiresAt' | 'revokedAt' | 'revocationReason' | 'revocationType')
  | ('revocationPercent' | 'currency' | 'quantity' | 'ownership' | 'offer' | 'offerMode' | 'storefront');

export type DeviceTransaction = Pick<StoreTransaction, Own | 'originalId' | 'environment'> & {
  [Field in FromStore]: SignedTransaction[Field] | null;
} & { price: string | null };

interface DeviceRows {
  deviceKey: string;
  limit: number;
}

export type TransactionRow = Omit<DeviceTransaction, 'price'> & { priceMilli: number | null };

/**
 * The reason of `store_transactions t`. Before its first look-up it is the line in which the transaction waits, or the pause for
 * which the store has asked: without one the next call is always less than ten seconds away.
 */
export const shownReason = raw(`CASE WHEN t.state <> 'PENDING' OR t.reason IS NOT NULL THEN t.reason
  WHEN EXISTS (SELECT FROM store_call_slots c WHERE c.application_id = t.application_id
    AND c.next_at > now() + interval '10 seconds') THEN 'store_busy'
  WHEN t.behind THEN 'waiting_behind' ELSE 'waiting_for_turn' END`);

/** Of `store_transactions t`, beside `id`, `state` and `reason`. */
export const transactionColumns = raw(`t.received_at AS "receivedAt", t.resolved_at AS "resolvedAt",
  t.last_looked_up_at AS "lastLookedUpAt", t.last_look_up_error AS "lastLookUpError", t.product_id AS "productId",
  t.original_id AS "originalId", t.kind, t.environment, t.purchased_at AS "purchasedAt", t.expires_at AS "expiresAt",
  t.revoked_at AS "revokedAt", t.revocation_reason AS "revocationReason", t.revocation_type AS "revocationType",
  t.revocation_percent AS "revocationPercent", t.price_milli::float8 AS "priceMilli", t.currency, t.quantity, t.ownership,
  t.offer, t.offer_mode AS "offerMode", t.storefront`);

/** A stranger may name the device in uploads without end; this service removes none of what they stored. */
const listedUnresolved = 100;

/**
 * SQL, because of its plan. Newest first: those that the device uploaded, and the others of the lines that it holds. Of those that are not RESOLVED the
 * ones that it uploaded last.
 */
export async function storeTransactionsOfDevice(
  connection: SqlConnection,
  { deviceKey, limit }: DeviceRows,
): Promise<DeviceTransaction[]> {
  const statement = prepared('store_transactions_of_device')`/* purchases: storeTransactionsOfDevice */
    WITH uploaded AS MATERIALIZED (
      SELECT transaction_id, application_id, received_at FROM store_transaction_devices WHERE device_key = ${deviceKey}
    ), held AS MATERIALIZED (
      SELECT DISTINCT line_id, application_id FROM store_holders WHERE held_by = ${deviceKey}
    ), own AS MATERIALIZED (
      SELECT u.transaction_id, u.application_id FROM uploaded u
      JOIN store_transactions t ON t.id = u.transaction_id AND t.application_id = u.application_id AND t.state = 'RESOLVED'
      UNION ALL
      (SELECT u.transaction_id, u.application_id FROM uploaded u
      JOIN store_transactions t ON t.id = u.transaction_id AND t.application_id = u.application_id AND t.state <> 'RESOLVED'
      ORDER BY u.received_at DESC, u.transaction_id LIMIT ${listedUnresolved})
      UNION
      SELECT t.id, t.application_id FROM held h
      JOIN store_transactions t ON t.line_id = h.line_id AND t.application_id = h.application_id)
    SELECT t.id, t.state, CASE WHEN t.state = 'RESOLVED' AND NOT EXISTS (SELECT FROM held h
        WHERE h.line_id = t.line_id AND h.application_id = t.application_id) THEN 'owned_by_another'
        ELSE ${shownReason} END AS reason,
      ${transactionColumns}
    FROM own o JOIN store_transactions t ON t.id = o.transaction_id AND t.application_id = o.application_id
    ORDER BY t.received_at DESC, t.id LIMIT ${limit}`;
  const { rows } = await connection.query<TransactionRow>(statement);
  return rows.map(shownTransaction);
}

export function shownTransaction({ priceMilli, ...row }: TransactionRow): DeviceTransaction {
  return { ...row, price: priceText(priceMilli, row.currency) };
}

type Shown =
  | ('productId' | 'kind' | 'environment' | 'autoRenew' | 'purchasedAt' | 'expiresAt' | 'graceExpiresAt' | 'revokedAt')
  | ('inBillingRetry' | 'ownership' | 'quantity' | 'currency');

export type DeviceEntitlement = Pick<Entitlement, Shown> & {
  id: string;
  price: string | null;
  storeTransactionIds: string[];
  owner: Owner | null;
  active: boolean;
};

export type EntitlementRow = Omit<DeviceEntitlement, 'price' | 'active'> &
  Pick<Entitlement, 'priceMilli' | 'lookedUpAt' | 'ended'> & { durationDays: number | null };

/** Of `store_entitlements e`, with `store_products p`. */
export const entitlementColumns = raw(`e.line_id AS id, e.product_id AS "productId", e.kind, e.environment,
  e.auto_renew AS "autoRenew", e.purchased_at AS "purchasedAt", e.expires_at AS "expiresAt",
  e.grace_expires_at AS "graceExpiresAt", e.in_billing_retry AS "inBillingRetry", e.revoked_at AS "revokedAt", e.ownership,
  e.quantity, e.price_milli::float8 AS "priceMilli", e.currency, e.looked_up_at AS "lookedUpAt", e.ended,
  p.duration_days AS "durationDays", CASE WHEN e.owner_external_id IS NOT NULL THEN
    json_build_object('externalId', e.owner_external_id, 'deviceId', e.owner_device_id) END AS owner,
  ARRAY(SELECT t.id FROM store_transactions t WHERE t.line_id = e.line_id AND t.application_id = e.application_id
    ORDER BY t.purchased_at, t.id) AS "storeTransactionIds"`);

/** SQL, because of its plan. Newest purchase first. */
export async function entitlementsOfDevice(
  connection: SqlConnection,
  { deviceKey, limit, now }: DeviceRows & { now: Date },
): Promise<DeviceEntitlement[]> {
  const statement = prepared('entitlements_of_device')`/* purchases: entitlementsOfDevice */
    SELECT ${entitlementColumns}
    FROM (SELECT DISTINCT line_id, application_id FROM store_holders WHERE held_by = ${deviceKey}) h
    JOIN store_entitlements e ON e.line_id = h.line_id AND e.application_id = h.application_id
    LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
    ORDER BY e.purchased_at DESC, e.line_id LIMIT ${limit}`;
  const { rows } = await connection.query<EntitlementRow>(statement);
  return rows.map((row) => shownEntitlement(row, now));
}

export function shownEntitlement(
  { priceMilli, lookedUpAt, ended, durationDays, ...row }: EntitlementRow,
  now: Date,
): DeviceEntitlement {
  const shown = { ...row, expiresAt: withDuration(row, durationDays) };
  const active = isActive({ ...shown, lookedUpAt, ended }, now);
  return { ...shown, price: priceText(priceMilli, row.currency), active };
}

/** As decimal text in units of the currency, with the digits that the currency has after the point (ISO 4217), or more where the price has more. */
export function priceText(milli: number | null, currency: string | null): string | null {
  if (milli === null) return null;
  const digits = Math.max(
    digitsOf(currency),
    [0, 1, 2, 3].find((count) => milli % 10 ** (3 - count) === 0)!,
  );
  return (milli / 1_000).toFixed(Math.min(digits, 3));
}
