// The SQL of a page of an application's store transactions.
import { concat, empty, raw, sql, type Sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import {
  shownTransaction,
  transactionColumns,
  type DeviceTransaction,
  type TransactionRow,
} from './entitlementsStore.ts';
import { linesOfDevice, linesOfExternalId } from './heldSql.ts';
import type { Place } from './pageCursor.ts';
import type { TransactionState } from './storeTransactionsStore.ts';

export interface TransactionSearch {
  applicationId: string;
  state: TransactionState | null;
  productId: string | null;
  externalId: string | null;
  /** The key of the device. */
  heldBy: string | null;
  from: Date | null;
  to: Date | null;
  after: Place | null;
  limit: number;
}

export type PlacedTransaction = DeviceTransaction & { position: string };

/** As the indexes have it. Transactions without it come first, so that one that gets it moves towards the later pages. */
const purchased = raw("coalesce(t.purchased_at, 'infinity'::timestamptz)");
const order = sql`${purchased} DESC, t.received_at DESC, t.id DESC`;

const uploadsOf = (deviceKey: string) => sql`WITH uploaded AS MATERIALIZED (
    SELECT transaction_id FROM store_transaction_devices WHERE device_key = ${deviceKey})`;

/** Not prepared: which index serves it depends on the filters and on the values. */
export const transactionPage = (search: TransactionSearch) => sql`/* purchases: findTransactionPage */
  ${search.heldBy === null ? empty : uploadsOf(search.heldBy)}
  SELECT t.id, t.state, t.reason, ${transactionColumns},
    concat_ws(' ', coalesce((extract(epoch FROM t.purchased_at) * 1000000)::bigint::text, 'infinity'),
      (extract(epoch FROM t.received_at) * 1000000)::bigint, t.id) AS position
  FROM store_transactions t
  WHERE t.application_id = ${search.applicationId}${concat([...plain(search), ...held(search)])}
  ORDER BY ${order} LIMIT ${search.limit}`;

function plain({ state, productId, from, to, after }: TransactionSearch): Sql[] {
  const dated = from !== null || to !== null;
  return [
    ...(state === null ? [] : [sql` AND t.state = ${state}::store_transaction_state`]),
    ...(productId === null ? [] : [sql` AND t.product_id = ${productId}`]),
    ...(from === null ? [] : [sql` AND ${purchased} >= ${from}`]),
    ...(dated ? [sql` AND ${purchased} < ${to ?? 'infinity'}::timestamptz`] : []),
    ...(after ? [isAfter(after)] : []),
  ];
}

function isAfter({ instants, id }: Place): Sql {
  return sql` AND (${purchased}, t.received_at, t.id)
    < (${instants[0]}::timestamptz, ${instants[1]}::timestamptz, ${id})`;
}

function held({ applicationId, externalId, heldBy }: TransactionSearch): Sql[] {
  const ofLines = (lines: Sql) => sql`SELECT l.id FROM store_transactions l
    WHERE l.application_id = ${applicationId} AND l.line_id IN (${lines})`;
  return [
    ...(externalId === null
      ? []
      : [
          sql` AND t.id IN (SELECT c.transaction_id FROM store_claims c
            WHERE c.application_id = ${applicationId} AND c.external_id = ${externalId}
            UNION ${ofLines(linesOfExternalId(applicationId, externalId))})`,
        ]),
    ...(heldBy === null
      ? []
      : [
          sql` AND t.id IN (SELECT u.transaction_id FROM uploaded u
            UNION ${ofLines(linesOfDevice(applicationId, heldBy))})`,
        ]),
  ];
}

/** Newest first. */
export async function findTransactionPage(
  connection: SqlConnection,
  search: TransactionSearch,
): Promise<PlacedTransaction[]> {
  const { rows } = await connection.query<TransactionRow & { position: string }>(transactionPage(search));
  return rows.map(({ position, ...row }) => ({ ...shownTransaction(row), position }));
}
