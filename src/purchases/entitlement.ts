// What a line grants: the period that holds with its renewal, whether it is active, and when the store is asked next (pure).
import type { Ownership, ProductKind, SignedRenewal, SignedTransaction, StoreEnvironment } from './storeClient.ts';

/** A subscription line, or one transaction without a subscription. */
export interface Entitlement {
  lineId: string;
  productId: string;
  kind: ProductKind;
  environment: StoreEnvironment;
  purchasedAt: Date;
  /** The paid end, which grace does not move. */
  expiresAt: Date | null;
  graceExpiresAt: Date | null;
  inBillingRetry: boolean;
  /** The store has said that the period has ended without a renewal. */
  ended: boolean;
  revokedAt: Date | null;
  autoRenew: boolean | null;
  /** Null where an older release stored the line. So are the next two. */
  ownership: Ownership | null;
  quantity: number | null;
  transactionId: string | null;
  priceMilli: number | null;
  currency: string | null;
  accountToken: string | null;
  signedAt: Date;
  /** When the store signed what it says of the renewal. */
  renewalSignedAt: Date | null;
  /**
   * The last look-up that succeeded; before the first, when the store signed what it said last. Null where an older release
   * stored the line.
   */
  lookedUpAt: Date | null;
}

export type Period = Pick<SignedTransaction, 'originalTransactionId' | 'transactionId' | 'upgraded'> &
  Pick<Entitlement, 'productId' | 'kind' | 'environment' | 'purchasedAt' | 'expiresAt' | 'revokedAt' | 'signedAt'> &
  Pick<Entitlement, 'ownership' | 'quantity' | 'priceMilli' | 'currency' | 'accountToken'>;

export function lineIdOf({
  kind,
  transactionId,
  originalTransactionId,
}: Pick<SignedTransaction, 'kind' | 'transactionId' | 'originalTransactionId'>): string {
  return kind === 'AUTO_RENEWABLE' ? originalTransactionId : transactionId;
}

/** Of several statements about one transaction the one signed last, which holds in full. In the order of their ids. */
export function latestStatements(said: SignedTransaction[]): SignedTransaction[] {
  const latest = new Map<string, SignedTransaction>();
  for (const one of said) {
    const other = latest.get(one.transactionId);
    if (!other || one.signedAt > other.signedAt) latest.set(one.transactionId, one);
  }
  return [...latest.values()].sort((one, other) => (one.transactionId < other.transactionId ? -1 : 1));
}

interface Said {
  /** The period that holds (entitlement.ts). */
  latest: Period;
  /** What the store has just said of the renewal, in any order. */
  renewals: SignedRenewal[];
  /** Null where no look-up has brought it. */
  lookedUpAt: Date | null;
}

/** The line after the store has spoken. `before` is null for a new line. */
export function entitlementOf(before: Entitlement | null, { latest, renewals, lookedUpAt }: Said): Entitlement {
  const { transactionId, productId, kind, environment, purchasedAt, expiresAt, signedAt } = latest;
  const { ownership, quantity, priceMilli, currency } = latest;
  let renewal: Pick<Entitlement, 'autoRenew' | 'inBillingRetry' | 'graceExpiresAt' | 'renewalSignedAt' | 'ended'> = {
    ...(before ?? { autoRenew: null, inBillingRetry: false, graceExpiresAt: null, renewalSignedAt: null }),
    ended:
      before?.ended === true &&
      before.transactionId === transactionId &&
      +(before.expiresAt ?? 0) === +(expiresAt ?? 0),
  };
  for (const { signedAt: at, autoRenew, inBillingRetry, graceExpiresAt, expired } of renewals) {
    if (renewal.renewalSignedAt && at <= renewal.renewalSignedAt) continue;
    // What the store said before this period was bought is about the one before.
    const ended = expired === true && at >= purchasedAt;
    renewal = { autoRenew, inBillingRetry, graceExpiresAt, renewalSignedAt: at, ended };
  }
  return {
    lineId: lineIdOf(latest),
    ...{
      transactionId,
      productId,
      kind,
      environment,
      purchasedAt,
      expiresAt,
      revokedAt: takenBackAt(latest),
      signedAt,
    },
    ...{ ownership, quantity, priceMilli, currency },
    accountToken: latest.accountToken ?? before?.accountToken ?? null,
    ...{ autoRenew: renewal.autoRenew, inBillingRetry: renewal.inBillingRetry, ended: renewal.ended },
    ...{ graceExpiresAt: renewal.graceExpiresAt, renewalSignedAt: renewal.renewalSignedAt },
    lookedUpAt: lookedUpAt ?? before?.lookedUpAt ?? signedAt,
  };
}

export type Dates = Pick<
  Entitlement,
  'kind' | 'expiresAt' | 'graceExpiresAt' | 'revokedAt' | 'autoRenew' | 'inBillingRetry'
> &
  Pick<Entitlement, 'lookedUpAt' | 'ended'>;

/** The store may book a renewal so long after the end, while it says that the subscription is active. */
const bookedLateMillis = 60_000;

const hour = 3_600_000;
const day = 24 * hour;

/**
 * Active: not revoked, and not expired or still in billing grace. At the end of a period that is to be renewed it stays so
 * until the store has said that it has ended, or a look-up a minute after the end has found no renewal; at most for an hour.
 */
export function isActive(line: Dates, now: Date): boolean {
  const end = activeUntil(line);
  return line.revokedAt === null && (end === null || now < end);
}

/** When it ends by the clock, unless the store says something else before. Null: never. */
export function activeUntil(line: Dates): Date | null {
  const { expiresAt, graceExpiresAt } = line;
  if (expiresAt === null) return null;
  const end = Math.max(expiresAt.getTime(), graceExpiresAt?.getTime() ?? 0);
  return new Date(awaitsLookUp(line, expiresAt) ? Math.max(end, expiresAt.getTime() + hour) : end);
}

/** The look-up that decides about the paid end is outstanding. In billing retry the store has spoken already. */
function awaitsLookUp({ kind, autoRenew, inBillingRetry, ended, lookedUpAt }: Dates, expiresAt: Date): boolean {
  if (kind !== 'AUTO_RENEWABLE' || autoRenew !== true || inBillingRetry || ended) return false;
  return lookedUpAt !== null && lookedUpAt.getTime() < expiresAt.getTime() + bookedLateMillis;
}

/** The end of what a NON_RENEWING product grants, to which the store gives none. */
export function withDuration(
  { kind, purchasedAt, expiresAt }: Pick<Entitlement, 'kind' | 'purchasedAt' | 'expiresAt'>,
  durationDays: number | null,
): Date | null {
  if (expiresAt !== null || kind !== 'NON_RENEWING' || durationDays === null) return expiresAt;
  return new Date(purchasedAt.getTime() + durationDays * day);
}

/** Renewals are looked for up to so long after the paid end: so long the store tries to collect the price. */
export const retriedForMillis = 60 * day;

/**
 * When the store is asked about the line by itself, after a look-up at `now`: at the paid end, at the end of billing grace
 * and on each day of billing retry. A renewal that is late without billing retry is looked for after a minute, and then
 * after pauses as long as the time since the end, at most a day. Null: no more.
 */
export function nextLookUp(
  { kind, expiresAt, graceExpiresAt, revokedAt, autoRenew, inBillingRetry }: Dates,
  now: Date,
) {
  if (kind !== 'AUTO_RENEWABLE' || revokedAt !== null || expiresAt === null) return null;
  const [end, present] = [expiresAt.getTime(), now.getTime()];
  if (present < end) return expiresAt;
  if (autoRenew !== true || present - end >= retriedForMillis) return null;
  if (!inBillingRetry) return new Date(present + Math.min(Math.max(present - end, 60_000), day));
  const nextDay = end + (Math.floor((present - end) / day) + 1) * day;
  const grace = graceExpiresAt?.getTime() ?? 0;
  return new Date(grace > present ? Math.min(grace, nextDay) : nextDay);
}

/** Instants are only compared: dates, or numbers of one unit. */
type Instant = Date | number;

export interface PeriodDates<At extends Instant = Date> {
  transactionId: string;
  purchasedAt: At;
  revokedAt: At | null;
  /** The store says that the user has changed to another product, so that another period replaces this one. */
  upgraded: boolean;
}

/**
 * schema.graphql, "Periods". Of the periods that have begun the one that was bought last. One that was replaced, or taken back before it began, stands
 * behind all others. Before any has begun, the first one to begin. A test compares `holdsFirst` of purchaseRows.ts.
 */
export function holdingPeriod<At extends Instant, Period extends PeriodDates<At>>(
  periods: readonly Period[],
  at: At,
): Period | null {
  return [...periods].sort((one, other) => compare(one, other, at))[0] ?? null;
}

/** When the next one begins, or is replaced, so that another one can hold; null for never. */
export function nextBegin(periods: readonly PeriodDates[], at: Date): Date | null {
  const times = periods
    .filter((period) => !neverBegan(period))
    .flatMap(({ purchasedAt, revokedAt, upgraded }) => [purchasedAt, ...(upgraded && revokedAt ? [revokedAt] : [])])
    .filter((time) => time > at);
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}

function compare<At extends Instant>(one: PeriodDates<At>, other: PeriodDates<At>, at: At): number {
  const [begun, otherBegun] = [hasBegun(one, at), hasBegun(other, at)];
  const later = Number(other.purchasedAt) - Number(one.purchasedAt);
  return (
    Number(neverBegan(one)) - Number(neverBegan(other)) ||
    Number(otherBegun) - Number(begun) ||
    Number(isReplaced(one, at)) - Number(isReplaced(other, at)) ||
    (begun ? later : -later) ||
    // An upgrade may have the purchase time of what it replaces. `signedAt` does not decide: the store may speak of either later.
    Number(one.revokedAt !== null) - Number(other.revokedAt !== null) ||
    other.transactionId.length - one.transactionId.length ||
    (one.transactionId < other.transactionId ? 1 : -1)
  );
}

/** Those that never begin stand in the order of their purchases at any time. */
const hasBegun = <At extends Instant>(period: PeriodDates<At>, at: At): boolean =>
  neverBegan(period) || period.purchasedAt <= at;

const neverBegan = <At extends Instant>({ purchasedAt, revokedAt }: PeriodDates<At>): boolean =>
  revokedAt !== null && revokedAt < purchasedAt;

/** Without a time of its own the replacement counts from the begin on. */
const isReplaced = <At extends Instant>(period: PeriodDates<At>, at: At): boolean =>
  period.upgraded && (neverBegan(period) || (period.revokedAt ?? period.purchasedAt) <= at);

/**
 * Entitlements are decided for so long after now: the store's clock may be ahead of ours, and the next period is there when
 * the present one ends.
 */
export const aheadMillis = 60_000;

/** From when on a period that begins at this time decides about the entitlement. */
export const begins = (purchasedAt: Date): Date => new Date(purchasedAt.getTime() - aheadMillis);

/**
 * A replaced period is not taken back: the user has paid for the one that replaces it. It goes on until the service knows
 * that one.
 */
export const takenBackAt = <At extends Instant>({ revokedAt, upgraded }: PeriodDates<At>): At | null =>
  upgraded ? null : revokedAt;
