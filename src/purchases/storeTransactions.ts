// query storeTransactions: the store transactions of an application, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryStoreTransactionsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import type { Caller } from '../workspace/caller.ts';
import { assertOwnApplication } from '../workspace/ownApplication.ts';
import { readFilter } from './readFilter.ts';
import { pageOf, readCursor, type Page } from './pageCursor.ts';
import { findTransactionPage, type PlacedTransaction, type TransactionSearch } from './storeTransactionPageStore.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: AnswerBudget;
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
