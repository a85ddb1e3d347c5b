// Writes the events about lines, by a statement, an upload or the clock, in the transaction that holds the lines.
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { enqueueWebhooks } from '../webhooks/enqueueWebhook.ts';
import type { WebhookEventName } from '../webhooks/webhooks.ts';
import type { LineChange } from './decideHolders.ts';
import { activeUntil, begins, type Dates, isActive, withDuration } from './entitlement.ts';
import { entitlementColumns, type EntitlementRow, shownEntitlement } from './entitlementsStore.ts';
import { type Holder, isSame, keyOf, type Owner } from './lineHolders.ts';
import type { LineRecord } from './statementsStore.ts';

interface Emission {
  now: Date;
  /** The time of each event where it is not now: for an end by time, that end. */
  atOf?: (change: LineChange) => Date;
}

/** The caller has locked the lines, and everything about them is stored. An event that is written once is not written again. */
export async function emitEntitlementEvents(
  transaction: Transaction,
  { applicationId, changes }: { applicationId: string; changes: LineChange[] },
  { now, atOf = () => now }: Emission,
): Promise<void> {
  const told = changes.flatMap(({ after }) => {
    const { toldActive, tellAt } = toldOf(after, now);
    const isSame = after.toldActive === toldActive && after.tellAt?.getTime() === tellAt?.getTime();
    return isSame ? [] : [{ lineId: after.lineId, toldActive, tellAt }];
  });
  if (told.length > 0) {
    const [lineIds, active] = [told.map(({ lineId }) => lineId), told.map(({ toldActive }) => toldActive)];
    await transaction.query(prepared('save_told')`/* purchases: saveTold */
      UPDATE store_entitlements e SET told_active = t.active, tell_at = t.at
      FROM unnest(${lineIds}::text[], ${active}::boolean[], ${told.map(({ tellAt }) => tellAt)}::timestamptz[])
        AS t (line_id, active, at)
      WHERE e.line_id = t.line_id AND e.application_id = ${applicationId}`);
  }
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
      const { rows } = await transaction.query<EntitlementRow>(prepared('find_shown_lines')`/* purchases: findShown */
        SELECT ${entitlementColumns} FROM store_entitlements e
        LEFT JOIN store_products p ON p.application_id = e.application_id AND p.product_id = e.product_id
        WHERE e.application_id = ${applicationId} AND e.line_id = ANY(${lineIds}::text[])`);
      const shown = new Map(rows.map((row) => [row.id, shownEntitlement(row, now)]));
      return wanted.map(({ lineId }) => shown.get(lineId)!);
    },
  });
}

type EntitlementEvent = Extract<WebhookEventName, `ENTITLEMENT_${string}`>;

type Line = Dates & Pick<LineRecord, 'transactionId' | 'purchasedAt' | 'owner' | 'durationDays' | 'beginsAt'>;

export interface ToldChange {
  /** Null for a new line. */
  before: Line | null;
  /** With what the last event told. */
  after: Line & Pick<LineRecord, 'toldActive'>;
  holders: { before: Holder[]; after: Holder[] };
}

/** schema.graphql, "Events of entitlements". What became of the right comes first, then whose it is. The events compare with what was told, and not with what was so. */
export function entitlementEvents({ before, after, holders }: ToldChange, now: Date): EntitlementEvent[] {
  const events: EntitlementEvent[] = [];
  const course = courseOf({ before, after }, now);
  if (course !== null) events.push(course);
  if (before !== null && isTransferred(before.owner, after.owner, holders)) events.push('ENTITLEMENT_TRANSFERRED');
  return events;
}

function courseOf({ before, after }: Omit<ToldChange, 'holders'>, now: Date): EntitlementEvent | null {
  const active = isActive(lasting(after), now);
  if (after.revokedAt !== null) return after.toldActive || isTakenBack(before, after) ? 'ENTITLEMENT_REVOKED' : null;
  if (after.toldActive !== active) return active ? 'ENTITLEMENT_ACTIVATED' : 'ENTITLEMENT_EXPIRED';
  return active && isProlonged(before, after) ? 'ENTITLEMENT_RENEWED' : null;
}

/** A refund of the latest period counts after its end too. */
function isTakenBack(before: Line | null, after: Line): boolean {
  return before !== null && before.revokedAt === null && +after.purchasedAt === +before.purchasedAt;
}

/**
 * Grace moves no end, and the store moves one without a new period when it extends a subscription. The period that holds may
 * have been bought before the one that it has replaced.
 */
function isProlonged(before: Line | null, { transactionId, purchasedAt, expiresAt }: Line): boolean {
  if (before === null) return false;
  // An older release has stored lines without the transaction.
  if (before.transactionId !== null && before.transactionId !== transactionId) return true;
  return purchasedAt > before.purchasedAt || (before.expiresAt !== null && +(expiresAt ?? 0) > +before.expiresAt);
}

/** Whoever joins takes nothing from anybody. */
function isTransferred(before: Owner | null, after: Owner | null, holders: ToldChange['holders']): boolean {
  const isOther = before === null || after === null ? before !== after : !isSame(after.externalId, before.externalId);
  const held = new Set(holders.after.map(keyOf));
  return isOther || holders.before.some((holder) => !held.has(keyOf(holder)));
}

/** What the events have told after these, and when the clock changes it, by the end or the begin of another period. */
export function toldOf(line: Line, now: Date): Pick<LineRecord, 'toldActive' | 'tellAt'> {
  const dates = lasting(line);
  const toldActive = isActive(dates, now);
  const times = [toldActive ? activeUntil(dates) : null, line.beginsAt && begins(line.beginsAt)];
  const next = Math.min(...times.map((at) => at?.getTime() ?? Infinity));
  return { toldActive, tellAt: next === Infinity ? null : new Date(next) };
}

function lasting(line: Line): Dates {
  return { ...line, expiresAt: withDuration(line, line.durationDays) };
}
