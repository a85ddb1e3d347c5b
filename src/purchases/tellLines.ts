// Writes the events about lines, by a statement, an upload or the clock, in the transaction that holds the lines.
import type { Transaction } from '../platform/database/transaction.ts';
import { enqueueWebhooks } from '../webhooks/enqueueWebhook.ts';
import type { LineChange } from './decideHolders.ts';
import { entitlementEvents, toldOf } from './entitlementEvents.ts';
import { findShown, saveTold } from './toldLinesStore.ts';

export interface LineChanges {
  applicationId: string;
  changes: LineChange[];
}

interface Telling {
  now: Date;
  /** The time of each event where it is not now: for an end by time, that end. */
  atOf?: (change: LineChange) => Date;
}

/** The caller has locked the lines, and everything about them is stored. An event that is told once is not told again. */
export async function tellLines(
  transaction: Transaction,
  { applicationId, changes }: LineChanges,
  { now, atOf = () => now }: Telling,
): Promise<void> {
  const told = changes.map(({ after }) => ({ before: after, after: { lineId: after.lineId, ...toldOf(after, now) } }));
  const other = told.filter(
    ({ before, after }) =>
      before.toldActive !== after.toldActive || before.tellAt?.getTime() !== after.tellAt?.getTime(),
  );
  await saveTold(
    transaction,
    applicationId,
    other.map(({ after }) => after),
  );
  const messages = changes.flatMap((change) =>
    entitlementEvents(change, now).map((type) => {
      const { lineId } = change;
      return { type, lineId, orderKey: `entitlement:${lineId}`, at: atOf(change) };
    }),
  );
  await enqueueWebhooks(transaction, {
    ...{ applicationId, messages },
    async dataOf(wanted) {
      const lineIds = [...new Set(wanted.map(({ lineId }) => lineId))].sort();
      const shown = await findShown(transaction, { applicationId, lineIds }, now);
      return wanted.map(({ lineId }) => shown.get(lineId)!);
    },
  });
}
