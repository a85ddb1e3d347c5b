// Stores what the store said about transactions, and tells webhooks how the entitlements of their lines changed.
import type { Transaction } from '../platform/database/transaction.ts';
import { entitlementOf, latestStatements, lineIdOf, nextLookUp, type Entitlement } from './entitlement.ts';
import { decideHolders } from './decideHolders.ts';
import { adoptUploads } from './holdersStore.ts';
import { shareProducts } from './productsStore.ts';
import type { SignedRenewal, SignedTransaction, StoreEnvironment } from './storeClient.ts';
import {
  findLatestPeriods,
  findLines,
  keepRenewal,
  lockLines,
  nameProducts,
  saveLine,
  saveStatements,
} from './statementsStore.ts';
import { tellLines } from './tellLines.ts';

/** What the store signed about transactions of one application, in any order. */
export interface StoreStatement {
  applicationId: string;
  environment: StoreEnvironment;
  transactions: SignedTransaction[];
  renewals: SignedRenewal[];
}

/** Set where the statement comes from a look-up of this line. */
export interface LineLookUp {
  lineId: string;
  /** The end of the part of the store's history that was read; null where none was. */
  historyRevision: string | null;
  /** A part of the history could not be read: the line is looked up again soon. */
  incomplete: boolean;
}

const againMillis = 3_600_000;

/**
 * Look-ups and notifications end here, in a transaction of theirs. A renewal of a line of which no transaction is known
 * changes nothing.
 */
export async function storeStatement(
  transaction: Transaction,
  { applicationId, environment, transactions, renewals }: StoreStatement,
  { now, lookUp = null }: { now: Date; lookUp?: LineLookUp | null },
): Promise<void> {
  const said = latestStatements(transactions);
  if (said.length > 0) {
    await saveStatements(transaction, { applicationId, environment, said });
    await nameProducts(transaction, applicationId, said);
    await shareProducts(
      transaction,
      applicationId,
      said.map(({ productId }) => productId),
    );
  }
  const lineIds = [...new Set([...said.map(lineIdOf), ...renewals.map(({ lineId }) => lineId)])].sort();
  const lines = { applicationId, lineIds };
  await lockLines(transaction, lines);
  const before = await findLines(transaction, lines);
  const periods = await findLatestPeriods(transaction, lines);
  for (const [lineId, latest] of periods) {
    const own = renewals.filter((renewal) => renewal.lineId === lineId);
    for (const renewal of own) await keepRenewal(transaction, applicationId, renewal);
    const looked = lookUp?.lineId === lineId ? lookUp : null;
    const line = entitlementOf(before.get(lineId) ?? null, { latest, renewals: own, lookedUpAt: looked && now });
    const schedule = { nextLookUpAt: scheduleOf(line, now, looked), historyRevision: looked?.historyRevision ?? null };
    await saveLine(transaction, applicationId, { line, ...schedule });
  }
  const told = { applicationId, lineIds: [...periods.keys()].sort() };
  await adoptUploads(transaction, told);
  const decided = await decideHolders(transaction, told);
  const changes = decided.map((change) => ({ ...change, before: before.get(change.lineId) ?? null }));
  await tellLines(transaction, { applicationId, changes }, { now });
}

function scheduleOf(line: Entitlement, now: Date, looked: LineLookUp | null): Date | null {
  const at = nextLookUp(line, now);
  if (!looked?.incomplete) return at;
  return new Date(Math.min(at?.getTime() ?? Infinity, now.getTime() + againMillis));
}
