// The SQL of a page of an application's store transactions.
import { concat, empty, raw, sql, type Sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import {
  shownTransaction,
  shownReason,
  transactionColumns,
  type DeviceTransaction,
  type TransactionRow,
} from './entitlementsStore.ts';
import { hasFew, isLineOfExternalId, linesOfDevice, linesOfExternalId, uploadsWith, type Somebody } from './heldSql.ts';
import type { Place } from './pageCursor.ts';
import type { TransactionState } from './storeTransactionsStore.ts';

export interface TransactionSearch extends Somebody {
  state: TransactionState | null;
  productId: string | null;
  from: Date | null;
  to: Date | null;
  after: Place | null;
  limit: number;
}

export type PlacedTransaction = DeviceTransaction & { position: string };

/** As the indexes have it. Transactions without it come first, so that one that gets it moves towards the later pages. */
const purchased = raw("coalesce(t.purchased_at, 'infinity'::timestamptz)");
const order = sql`${purchased} DESC, t.received_at DESC, t.id DESC`;

/** Not prepared: which index serves it depends on the filters and on the values. `few` as `hasFew` says. */
export function transactionPage(search: TransactionSearch, few: boolean): Sql {
  const { heldBy } = search;
  if (heldBy === null) return sql`/* purchases: findTransactionPage */ ${pageOf(search, few)}`;
  return sql`/* purchases: findTransactionPageOfDevice */
    WITH uploaded AS MATERIALIZED (
      SELECT transaction_id FROM store_transaction_devices WHERE device_key = ${heldBy}) ${pageOf(search, few)}`;
}

const pageOf = (search: TransactionSearch, few: boolean) => sql`
  SELECT t.id, t.state, ${shownReason} AS reason, ${transactionColumns},
    concat_ws(' ', coalesce((extract(epoch FROM t.purchased_at) * 1000000)::bigint::text, 'infinity'),
      (extract(epoch FROM t.received_at) * 1000000)::bigint, t.id) AS position
  FROM (${idsOf(search, few)}) page
  JOIN store_transactions t ON t.id = page.id AND t.application_id = ${search.applicationId}
  ORDER BY ${order} LIMIT ${search.limit}`;

const uploaded = sql`SELECT transaction_id FROM uploaded`;

/** The first of each way in which somebody has transactions, some twice; then the first of them. */
function idsOf(search: TransactionSearch, few: boolean): Sql {
  const { applicationId, externalId, heldBy } = search;
  if ((externalId === null && heldBy === null) || !few) {
    return firstIds(search, sql`store_transactions`, concat([...isOfExternalId(search), ...isOfDevice(search)]));
  }
  const held = heldBy === null ? empty : linesOfDevice(applicationId, heldBy);
  const [ids, lines] =
    externalId === null
      ? [uploaded, held]
      : [uploadsWith(applicationId, externalId), linesOfExternalId(applicationId, externalId)];
  const both = externalId === null ? empty : concat(isOfDevice(search));
  return sql`(${firstIds(search, rowsWith(applicationId, sql`o.id IN (${ids})`), both)})
    UNION (${firstIds(search, rowsWith(applicationId, sql`o.line_id IN (${lines})`), both)})`;
}

function isOfExternalId({ applicationId, externalId }: TransactionSearch): Sql[] {
  if (externalId === null) return [];
  return [
    sql` AND (EXISTS (SELECT FROM store_claims c WHERE c.transaction_id = t.id AND c.application_id = ${applicationId}
      AND c.external_id = ${externalId}) OR ${isLineOfExternalId(sql`t`, applicationId, externalId)})`,
  ];
}

function isOfDevice({ applicationId, heldBy }: TransactionSearch): Sql[] {
  if (heldBy === null) return [];
  return [sql` AND (t.id IN (${uploaded}) OR t.line_id IN (${linesOfDevice(applicationId, heldBy)}))`];
}

/** `OFFSET 0` has these rows read first: to walk through all others for a page takes seconds. */
const rowsWith = (applicationId: string, condition: Sql) => sql`
  (SELECT o.* FROM store_transactions o WHERE o.application_id = ${applicationId} AND ${condition} OFFSET 0)`;

const firstIds = (search: TransactionSearch, rows: Sql, condition: Sql) => sql`
  SELECT t.id FROM ${rows} t
  WHERE t.application_id = ${search.applicationId}${concat(plain(search))}${condition}
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

/** Newest first. */
export async function findTransactionPage(
  connection: SqlConnection,
  search: TransactionSearch,
): Promise<PlacedTransaction[]> {
  const few = await hasFew(connection, search);
  const { rows } = await connection.query<TransactionRow & { position: string }>(transactionPage(search, few));
  return rows.map(({ position, ...row }) => ({ ...shownTransaction(row), position }));
}
