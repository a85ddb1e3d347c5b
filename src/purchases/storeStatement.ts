// Stores what the store said about transactions, and writes the events about the entitlements of their lines.
import type { Transaction } from '../platform/database/transaction.ts';
import {
  aheadMillis,
  type Entitlement,
  entitlementOf,
  holdingPeriod,
  latestStatements,
  lineIdOf,
  nextBegin,
  nextLookUp,
  type Period,
} from './entitlement.ts';
import { adoptUploads, decideHolders } from './decideHolders.ts';
import type { SignedRenewal, SignedTransaction, StoreEnvironment } from './storeClient.ts';
import {
  findLines,
  findPeriods,
  keepPaidUntil,
  keepRenewal,
  lockLines,
  nameProducts,
  saveLine,
  saveStatements,
  shareProducts,
  type Lines,
} from './statementsStore.ts';
import { emitEntitlementEvents } from './emitEntitlementEvents.ts';

/** What the store signed about transactions of one application, in any order. */
export interface StoreStatement {
  applicationId: string;
  environment: StoreEnvironment;
  transactions: SignedTransaction[];
  renewals: SignedRenewal[];
}

/** Set where the statement comes from a look-up of this line. */
interface LineLookUp {
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
    await keepPaidUntil(transaction, applicationId, transactions);
    await nameProducts(transaction, applicationId, said);
    const productIds = said.map(({ productId }) => productId);
    await shareProducts(transaction, applicationId, productIds);
  }
  const lineIds = [...new Set([...said.map(lineIdOf), ...renewals.map(({ lineId }) => lineId)])].sort();
  const lines = { applicationId, lineIds };
  await lockLines(transaction, lines);
  const before = await findLines(transaction, lines);
  const periods = await findPeriods(transaction, lines);
  for (const [lineId, all] of periods) {
    const { latest, beginsAt } = heldNow(all, now);
    const own = renewals.filter((renewal) => renewal.lineId === lineId);
    for (const renewal of own) await keepRenewal(transaction, applicationId, renewal);
    const looked = lookUp?.lineId === lineId ? lookUp : null;
    const line = entitlementOf(before.get(lineId) ?? null, { latest, renewals: own, lookedUpAt: looked && now });
    const nextLookUpAt = scheduleOf(line, now, { looked, isReplaced: latest.upgraded });
    const historyRevision = looked?.historyRevision ?? null;
    await saveLine(transaction, applicationId, { line, nextLookUpAt, historyRevision, beginsAt });
  }
  const stored = { applicationId, lineIds: [...periods.keys()].sort() };
  await adoptUploads(transaction, stored);
  const decided = await decideHolders(transaction, stored);
  const changes = decided.map((change) => ({ ...change, before: before.get(change.lineId) ?? null }));
  await emitEntitlementEvents(transaction, { applicationId, changes }, { now });
}

/** The period that holds, of at least one, and when the next one begins. */
function heldNow(periods: Period[], now: Date): { latest: Period; beginsAt: Date | null } {
  const at = new Date(now.getTime() + aheadMillis);
  return { latest: holdingPeriod(periods, at)!, beginsAt: nextBegin(periods, at) };
}

/**
 * The clock has brought the begin of another period of these lines, which the caller holds. What the store has said of the
 * renewal stays. A look-up at the end of the period before is one at the end of this one.
 */
export async function beginPeriods(transaction: Transaction, lines: Lines, now: Date): Promise<void> {
  const periods = await findPeriods(transaction, lines);
  for (const [lineId, before] of await findLines(transaction, lines)) {
    const all = periods.get(lineId);
    // An older release may have stored a line without the statements.
    const { latest, beginsAt } = all ? heldNow(all, now) : { latest: null, beginsAt: null };
    const line = latest ? entitlementOf(before, { latest, renewals: [], lookedUpAt: null }) : before;
    const isAtEnd = +(before.nextLookUpAt ?? 0) === +(before.expiresAt ?? 0);
    const nextLookUpAt = isAtEnd ? nextLookUp(line, now) : before.nextLookUpAt;
    await saveLine(transaction, lines.applicationId, { line, nextLookUpAt, historyRevision: null, beginsAt });
  }
}

interface Asked {
  looked: LineLookUp | null;
  /** By a period that the service does not know. */
  isReplaced: boolean;
}

function scheduleOf(line: Entitlement, now: Date, { looked, isReplaced }: Asked): Date | null {
  const at = nextLookUp(line, now);
  if (!looked?.incomplete && !isReplaced) return at;
  const soon = now.getTime() + (looked ? againMillis : 0);
  return new Date(Math.min(at?.getTime() ?? Infinity, soon));
}
