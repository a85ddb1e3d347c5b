// query storeTransactions: the store transactions of an application, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryStoreTransactionsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import { concat, empty, raw, sql, type Sql, type SqlConnection } from '../platform/database/sql.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';
import {
  type DeviceTransaction,
  shownReason,
  shownTransaction,
  transactionColumns,
  type TransactionRow,
} from './entitlementsStore.ts';
import {
  hasFew,
  isLineOfExternalId,
  linesOfDevice,
  linesOfExternalId,
  type Page,
  pageOf,
  type Place,
  readCursor,
  readFilter,
  type Somebody,
  uploadsWith,
} from './lists.ts';
import type { TransactionState } from './storeTransactionsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

type Args = Partial<QueryStoreTransactionsArgs> & Pick<QueryStoreTransactionsArgs, 'applicationId'>;

const cursor = { list: 'storeTransactions', instants: 2 } as const;

/** Throws `validation_failed`, `not_found` (the application). */
export async function storeTransactions(args: Args, needs: Needs): Promise<Page<PlacedTransaction>> {
  const { adminPool, budget } = needs;
  const { limit, ...filters } = read(args);
  await assertOwnApplication(needs, args.applicationId);
  if (fitsNothing(filters)) return pageOf(cursor, [], limit);
  const rows = await withinBudget(budget, (room) =>
    findTransactionPage(adminPool, { ...filters, limit: Math.min(limit, room.limit) + 1 }),
  );
  return pageOf(cursor, rows, limit);
}

/** Only a resolved transaction has a product and a date. To find that none fits, a million rows would be read. */
function fitsNothing({ state, productId, from, to }: Omit<TransactionSearch, 'limit'>): boolean {
  return state !== null && state !== 'RESOLVED' && (productId !== null || from !== null || to !== null);
}

function read({ applicationId, state = null, productId, externalId, deviceId, from, to, limit, after }: Args) {
  const rules = inputRules();
  const device = readFilter(rules, 'deviceId', deviceId);
  const filters = {
    ...{ applicationId, state, from: from ?? null, to: to ?? null },
    productId: readFilter(rules, 'productId', productId),
    externalId: readFilter(rules, 'externalId', externalId),
    heldBy: device === null ? null : deviceKey(applicationId, device),
    limit: readLimit(rules, limit, { byDefault: 100 }),
    after: readCursor(rules, cursor, after),
  };
  rules.assert();
  return filters;
}

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

/** SQL, because of its plan. Not prepared: which index serves it depends on the filters and on the values. `few` as `hasFew` says. */
export function transactionPage(search: TransactionSearch, few: boolean): Sql {
  const { heldBy } = search;
  if (heldBy === null) return sql`/* purchases: findTransactionPage */ ${transactionsOf(search, few)}`;
  return sql`/* purchases: findTransactionPageOfDevice */
    WITH uploaded AS MATERIALIZED (
      SELECT transaction_id FROM store_transaction_devices WHERE device_key = ${heldBy}) ${transactionsOf(search, few)}`;
}

const transactionsOf = (search: TransactionSearch, few: boolean) => sql`
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
