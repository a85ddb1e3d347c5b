// The events that a change of a line makes, and their order (pure): schema.graphql, "Events of entitlements".
import type { WebhookEventName } from '../webhooks/webhookEvent.ts';
import { activeUntil, isActive, withDuration, type Dates } from './entitlement.ts';
import { isSame, keyOf, type Holder, type Owner } from './lineHolders.ts';
import { begins } from './periods.ts';
import type { LineRecord } from './statementsStore.ts';

export type EntitlementEvent = Extract<WebhookEventName, `ENTITLEMENT_${string}`>;

type Line = Dates & Pick<LineRecord, 'transactionId' | 'purchasedAt' | 'owner' | 'durationDays' | 'beginsAt'>;

export interface ToldChange {
  /** Null for a new line. */
  before: Line | null;
  /** With what the last event told. */
  after: Line & Pick<LineRecord, 'toldActive'>;
  holders: { before: Holder[]; after: Holder[] };
}

/** What became of the right comes first, then whose it is. The events compare with what was told, and not with what was so. */
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
