// The SQL that reads from PostgreSQL what the copy holds of purchases, from the views that both engines share.
import type { ClientBase, QueryConfig } from 'pg';
import { sql } from '../../platform/database/sql.ts';
import { lineOf, text, type LineColumns } from './csvLines.ts';

const bigint = (column: string) => ['BIGINT', column] as const;

export const transactionColumns = {
  application_id: ['UUID', 't.application_id'],
  id: text('t.id'),
  line: text('t.line'),
  product_id: text('t.product_id'),
  kind: text('t.kind'),
  environment: text('t.environment'),
  purchased_at: bigint('t.purchased_at'),
  expires_at: bigint('t.expires_at'),
  revoked_at: bigint('t.revoked_at'),
  revocation_percent: ['DOUBLE', 't.revocation_percent'],
  revocation_type: text('t.revocation_type'),
  price_milli: bigint('t.price_milli'),
  currency: text('t.currency'),
  quantity: ['INTEGER', 't.quantity'],
  ownership: text('t.ownership'),
  offer: text('t.offer'),
  offer_mode: text('t.offer_mode'),
  storefront: text('t.storefront'),
  payer: text('t.payer'),
  device_id: text('t.device_id'),
  upgraded: ['BOOLEAN', 't.upgraded'],
  paid_until: bigint('t.paid_until'),
} satisfies LineColumns;

export const renewalColumns = {
  application_id: ['UUID', 'r.application_id'],
  line: text('r.line'),
  signed_at: bigint('r.signed_at'),
  auto_renew: ['BOOLEAN', 'r.auto_renew'],
  in_billing_retry: ['BOOLEAN', 'r.in_billing_retry'],
  grace_expires_at: bigint('r.grace_expires_at'),
} satisfies LineColumns;

export const allTransactions = (): QueryConfig => sql`/* analytics: copyTransactions */
  SELECT ${lineOf(transactionColumns)} FROM analytics.transactions t`;

export const allRenewals = (): QueryConfig => sql`/* analytics: copyRenewals */
  SELECT ${lineOf(renewalColumns)} FROM analytics.renewals r`;

/** Of one application. */
export interface TouchedPurchases {
  applicationId: string;
  ids: readonly string[];
  lines: readonly string[];
}

/** The ids, and those of all transactions of the lines: the owner of a line is in each of them. */
export async function findTouchedIds(
  client: ClientBase,
  { applicationId, ids, lines }: TouchedPurchases,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql`/* analytics: findTouchedIds */
    SELECT id FROM store_transactions WHERE application_id = ${applicationId}::uuid AND line_id = ANY(${lines}::text[])`);
  return [...new Set([...ids, ...lines, ...rows.map(({ id }) => id)])];
}

export const touchedTransactions = (applicationId: string, ids: readonly string[]): QueryConfig =>
  sql`/* analytics: touchedTransactions */ SELECT ${lineOf(transactionColumns)} FROM analytics.transactions t
    WHERE t.application_id = ${applicationId}::uuid AND t.id = ANY(${ids}::text[])`;

export const touchedRenewals = ({ applicationId, lines }: TouchedPurchases): QueryConfig =>
  sql`/* analytics: touchedRenewals */ SELECT ${lineOf(renewalColumns)} FROM analytics.renewals r
    WHERE r.application_id = ${applicationId}::uuid AND r.line = ANY(${lines}::text[])`;
