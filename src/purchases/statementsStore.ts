// The SQL of what the store said: of each transaction, of the period of each line that holds, and of its renewal.
import { prepared, raw, sql, type Sql } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { type Entitlement, lineIdOf, type Period } from './entitlement.ts';
import type { Owner } from './lineHolders.ts';
import type { SignedRenewal, SignedTransaction, StoreEnvironment } from './storeClient.ts';

export interface Lines {
  applicationId: string;
  /** Sorted. */
  lineIds: string[];
}

/**
 * The rows of the transactions, with the statements that were signed later than the stored ones. A transaction that nobody
 * uploaded gets a row. `said` is unique and sorted by id: an upload locks rows in the same order.
 *
 * The first statement settles from when on uploads bring the transaction: at the latest from its purchase or this statement
 * on. The store's clock may be ahead of ours, by a minute or by what `signedAt` shows. A renewal that was signed before its
 * begin was booked in the last day. What the store did not know then was sold later: at once where the service has given up,
 * else it may have known it a minute too late.
 */
export async function saveStatements(
  transaction: Transaction,
  {
    applicationId,
    environment,
    said,
  }: { applicationId: string; environment: StoreEnvironment; said: SignedTransaction[] },
): Promise<void> {
  const rows = JSON.stringify(said.map((one) => ({ ...one, lineId: lineIdOf(one) })));
  await transaction.query(prepared('save_statements')`/* purchases: saveStatements */
    INSERT INTO store_transactions AS t (id, application_id, state, resolved_at, line_id, environment, product_id,
      original_id, kind, purchased_at, expires_at, revoked_at, revocation_reason, revocation_type, revocation_percent,
      price_milli, currency, quantity, ownership, offer, offer_mode, storefront, account_token, signed_at, upgraded,
      paid_until, counts_from)
    SELECT "transactionId", ${applicationId}::uuid, 'RESOLVED', now(), "lineId", ${environment}::store_environment,
      "productId", "originalTransactionId", kind, "purchasedAt", "expiresAt", "revokedAt", "revocationReason",
      "revocationType", "revocationPercent", "priceMilli", currency, quantity, ownership, offer, "offerMode", storefront,
      "accountToken", "signedAt", upgraded IS TRUE, "expiresAt", ${countsFrom(sql`"purchasedAt"`, sql`"signedAt"`, sql`NULL::timestamptz`)}
    FROM jsonb_to_recordset(${rows}::jsonb) AS said ("transactionId" text, "lineId" text, "productId" text,
      "originalTransactionId" text, kind entitlement_kind, "purchasedAt" timestamptz, "expiresAt" timestamptz,
      "revokedAt" timestamptz, "revocationReason" text, "revocationType" text, "revocationPercent" float8,
      "priceMilli" bigint, currency text, quantity integer, ownership text, offer text, "offerMode" text,
      storefront text, "accountToken" text, "signedAt" timestamptz, upgraded boolean)
    ORDER BY "transactionId" COLLATE "C"
    ON CONFLICT (id, application_id) DO UPDATE SET state = 'RESOLVED', reason = NULL,
      resolved_at = coalesce(CASE WHEN t.state = 'RESOLVED' THEN t.resolved_at END, excluded.resolved_at),
      line_id = excluded.line_id, environment = excluded.environment, product_id = excluded.product_id,
      original_id = excluded.original_id, kind = excluded.kind, purchased_at = excluded.purchased_at,
      expires_at = excluded.expires_at, revoked_at = excluded.revoked_at,
      revocation_reason = excluded.revocation_reason, revocation_type = excluded.revocation_type,
      revocation_percent = excluded.revocation_percent, price_milli = excluded.price_milli,
      currency = excluded.currency, quantity = excluded.quantity, ownership = excluded.ownership,
      offer = excluded.offer, offer_mode = excluded.offer_mode, storefront = excluded.storefront,
      account_token = excluded.account_token, signed_at = excluded.signed_at, upgraded = excluded.upgraded,
      paid_until = least(coalesce(t.paid_until, t.expires_at), excluded.paid_until),
      counts_from = CASE WHEN t.signed_at IS NULL THEN ${countsFrom(
        sql`excluded.purchased_at`,
        sql`excluded.signed_at`,
        sql`CASE WHEN t.state = 'NOT_FOUND' THEN greatest(t.resolved_at, t.last_looked_up_at)
          WHEN t.last_look_up_error = 'not_known_yet' THEN t.last_looked_up_at - interval '1 minute' END`,
      )} ELSE t.counts_from END
    WHERE t.signed_at IS NULL OR excluded.signed_at > t.signed_at`);
}

/**
 * Of a transaction the earliest end that the store has said is the one that was paid for: an extension moves it to later. The
 * rows are locked already.
 */
export async function keepPaidUntil(
  transaction: Transaction,
  applicationId: string,
  said: SignedTransaction[],
): Promise<void> {
  const ends = said.flatMap(({ transactionId: id, expiresAt }) => (expiresAt === null ? [] : [{ id, expiresAt }]));
  if (ends.length === 0) return;
  await transaction.query(prepared('keep_paid_until')`/* purchases: keepPaidUntil */
    UPDATE store_transactions t SET paid_until = said.paid_until
    FROM (SELECT id, min(at) AS paid_until FROM unnest(${ends.map(({ id }) => id)}::text[],
      ${ends.map(({ expiresAt }) => expiresAt)}::timestamptz[]) AS s (id, at) GROUP BY id) said
    WHERE t.id = said.id AND t.application_id = ${applicationId} AND said.paid_until < t.paid_until`);
}

const countsFrom = (purchasedAt: Sql, signedAt: Sql, notKnownAt: Sql): Sql => sql`
  least(now(), ${purchasedAt}, greatest(${notKnownAt}, CASE WHEN ${signedAt} < ${purchasedAt}
    THEN ${purchasedAt} - interval '24 hours'
    ELSE ${purchasedAt} - interval '1 minute' - greatest(${signedAt} - now(), interval '0') END))`;

/** The key of a product's advisory lock. */
export const lockOfProduct = (applicationId: string, productId: Sql): Sql =>
  sql`hashtextextended('purchases: product ' || ${applicationId}::text || ' ' || ${productId}, 0)`;

/**
 * Taken before a transaction adds lines to these products. The worker that tells the lines of an edited product waits for the
 * transaction: it may have read the duration from before the edit, and the worker does not see its lines before COMMIT.
 */
export async function shareProducts(
  transaction: Transaction,
  applicationId: string,
  productIds: string[],
): Promise<void> {
  const sorted = [...new Set(productIds)].sort();
  await transaction.query(prepared('share_products')`/* purchases: shareProducts */
    SELECT pg_advisory_xact_lock_shared(${lockOfProduct(applicationId, sql`id`)})
    FROM unnest(${sorted}::text[]) WITH ORDINALITY AS t (id, number) ORDER BY number`);
}

/** The key of a line's advisory lock. */
export const lockOfLine = (applicationId: Sql, lineId: Sql): Sql =>
  sql`hashtextextended('purchases: line ' || ${applicationId}::text || ' ' || ${lineId}, 0)`;

/** No other transaction decides about these lines until this one ends. */
export async function lockLines(transaction: Transaction, { applicationId, lineIds }: Lines): Promise<void> {
  await transaction.query(prepared('lock_lines')`/* purchases: lockLines */
    SELECT pg_advisory_xact_lock(${lockOfLine(sql`${applicationId}`, sql`id`)})
    FROM unnest(${lineIds}::text[]) WITH ORDINALITY AS t (id, number) ORDER BY number`);
}

export type LineRecord = Entitlement & {
  owner: Owner | null;
  /** The device that first brought it, for whichever owner. */
  firstDeviceId: string | null;
  /** Of its product. */
  durationDays: number | null;
  /** Whether the last event said that it is active. */
  toldActive: boolean;
  /** When the clock changes that, or another period holds. */
  tellAt: Date | null;
  /** When the next period begins. */
  beginsAt: Date | null;
  nextLookUpAt: Date | null;
};

/** The columns of a line. The driver gives a bigint as text. */
const columns = raw(`e.line_id AS "lineId", e.product_id AS "productId", e.kind, e.environment,
  e.purchased_at AS "purchasedAt", e.expires_at AS "expiresAt", e.grace_expires_at AS "graceExpiresAt",
  e.in_billing_retry AS "inBillingRetry", e.ended, e.begins_at AS "beginsAt",
  e.next_look_up_at AS "nextLookUpAt", e.revoked_at AS "revokedAt", e.auto_renew AS "autoRenew", e.ownership,
  e.quantity, e.transaction_id AS "transactionId", e.price_milli::float8 AS "priceMilli", e.currency,
  e.account_token AS "accountToken", e.signed_at AS "signedAt", e.renewal_signed_at AS "renewalSignedAt",
  e.looked_up_at AS "lookedUpAt", CASE WHEN e.owner_external_id IS NOT NULL THEN
    json_build_object('externalId', e.owner_external_id, 'deviceId', e.owner_device_id) END AS owner,
  e.first_device_id AS "firstDeviceId", p.duration_days AS "durationDays", e.told_active AS "toldActive", e.tell_at AS "tellAt"`);

export async function findLines(
  transaction: Transaction,
  { applicationId, lineIds }: Lines,
): Promise<Map<string, LineRecord>> {
  const { rows } = await transaction.query<LineRecord>(prepared('find_lines')`/* purchases: findLines */
    SELECT ${columns} FROM store_entitlements e
    LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
    WHERE e.application_id = ${applicationId} AND e.line_id = ANY(${lineIds}::text[])`);
  return new Map(rows.map((row) => [row.lineId, row]));
}

/** The periods of each line of which the store has said something. */
export async function findPeriods(
  transaction: Transaction,
  { applicationId, lineIds }: Lines,
): Promise<Map<string, Period[]>> {
  const statement = prepared('find_periods')`/* purchases: findPeriods */
    SELECT line_id AS "lineId", id AS "transactionId", original_id AS "originalTransactionId", product_id AS "productId",
      kind, environment, purchased_at AS "purchasedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
      signed_at AS "signedAt", ownership, quantity, price_milli::float8 AS "priceMilli", currency,
      account_token AS "accountToken", upgraded
    FROM store_transactions t
    WHERE t.line_id = ANY(${lineIds}::text[]) AND t.application_id = ${applicationId} AND t.signed_at IS NOT NULL
    ORDER BY line_id`;
  const { rows } = await transaction.query<Period & { lineId: string }>(statement);
  return byLine(rows);
}

export function byLine<Row extends { lineId: string }>(rows: Row[]): Map<string, Row[]> {
  const lines = new Map<string, Row[]>();
  for (const row of rows) {
    const own = lines.get(row.lineId);
    if (own) own.push(row);
    else lines.set(row.lineId, [row]);
  }
  return lines;
}

interface LineSchedule {
  nextLookUpAt: Date | null;
  /** Null keeps the stored one. */
  historyRevision: string | null;
  beginsAt: Date | null;
}

export async function saveLine(
  transaction: Transaction,
  applicationId: string,
  { line, nextLookUpAt, historyRevision, beginsAt }: LineSchedule & { line: Entitlement },
): Promise<void> {
  await transaction.query(prepared('save_line')`/* purchases: saveLine */
    INSERT INTO store_entitlements AS e (line_id, application_id, product_id, kind, environment, auto_renew, purchased_at,
      expires_at, grace_expires_at, in_billing_retry, revoked_at, signed_at, renewal_signed_at, ownership, quantity,
      transaction_id, price_milli, currency, account_token, looked_up_at, next_look_up_at, history_revision, begins_at,
      ended)
    VALUES (${line.lineId}, ${applicationId}, ${line.productId}, ${line.kind}::entitlement_kind,
      ${line.environment}::store_environment, ${line.autoRenew}, ${line.purchasedAt}, ${line.expiresAt},
      ${line.graceExpiresAt}, ${line.inBillingRetry}, ${line.revokedAt}, ${line.signedAt}, ${line.renewalSignedAt},
      ${line.ownership}, ${line.quantity}, ${line.transactionId}, ${line.priceMilli}, ${line.currency},
      ${line.accountToken}, ${line.lookedUpAt}, ${nextLookUpAt}, ${historyRevision}, ${beginsAt}, ${line.ended})
    ON CONFLICT (line_id, application_id) DO UPDATE SET product_id = excluded.product_id, kind = excluded.kind,
      environment = excluded.environment, auto_renew = excluded.auto_renew, purchased_at = excluded.purchased_at,
      expires_at = excluded.expires_at, grace_expires_at = excluded.grace_expires_at,
      in_billing_retry = excluded.in_billing_retry, revoked_at = excluded.revoked_at, signed_at = excluded.signed_at,
      renewal_signed_at = excluded.renewal_signed_at, ownership = excluded.ownership, quantity = excluded.quantity,
      transaction_id = excluded.transaction_id, price_milli = excluded.price_milli, currency = excluded.currency,
      account_token = excluded.account_token, looked_up_at = excluded.looked_up_at,
      next_look_up_at = excluded.next_look_up_at, begins_at = excluded.begins_at, ended = excluded.ended,
      history_revision = coalesce(excluded.history_revision, e.history_revision), updated_at = excluded.updated_at`);
}

/** Keeps what the store said of a renewal, unless it said the same in its statement before. */
export async function keepRenewal(
  transaction: Transaction,
  applicationId: string,
  { lineId, signedAt, autoRenew, inBillingRetry, graceExpiresAt }: SignedRenewal,
): Promise<void> {
  await transaction.query(prepared('keep_renewal')`/* purchases: keepRenewal */
    INSERT INTO store_renewal_changes (line_id, application_id, signed_at, auto_renew, in_billing_retry, grace_expires_at)
    SELECT ${lineId}::text, ${applicationId}::uuid, said.* FROM (VALUES (${signedAt}::timestamptz,
      ${autoRenew}::boolean, ${inBillingRetry}::boolean, ${graceExpiresAt}::timestamptz)) said
    WHERE NOT EXISTS (SELECT FROM (
        SELECT auto_renew, in_billing_retry, grace_expires_at FROM store_renewal_changes
        WHERE line_id = ${lineId} AND application_id = ${applicationId} AND signed_at <= ${signedAt}
        ORDER BY signed_at DESC LIMIT 1) before
      WHERE (before.auto_renew, before.in_billing_retry, before.grace_expires_at)
        IS NOT DISTINCT FROM (${autoRenew}::boolean, ${inBillingRetry}::boolean, ${graceExpiresAt}::timestamptz))
    ON CONFLICT DO NOTHING`);
}

/**
 * Makes the products known of which the store has told. A product that is known already is not locked: ON CONFLICT DO UPDATE
 * locks its row until COMMIT also where it changes nothing, so all look-ups of one product waited for each other.
 */
export async function nameProducts(
  transaction: Transaction,
  applicationId: string,
  said: Pick<SignedTransaction, 'productId' | 'kind'>[],
): Promise<void> {
  const products = new Map(said.map(({ productId, kind }) => [productId, kind]));
  const ids = [...products.keys()].sort();
  const kinds = ids.map((id) => products.get(id)!);
  await transaction.query(prepared('name_products')`/* purchases: nameProducts */
    INSERT INTO store_products AS p (application_id, product_id, kind)
    SELECT ${applicationId}::uuid, said.* FROM unnest(${ids}::text[], ${kinds}::entitlement_kind[]) AS said (product_id, kind)
    WHERE NOT EXISTS (SELECT FROM store_products known WHERE known.application_id = ${applicationId}
      AND known.product_id = said.product_id AND known.kind IS NOT DISTINCT FROM said.kind)
    ON CONFLICT (application_id, product_id) DO UPDATE SET kind = excluded.kind WHERE p.kind IS DISTINCT FROM excluded.kind`);
}
