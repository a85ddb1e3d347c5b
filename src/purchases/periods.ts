// Which period of a line holds at an instant (pure): schema.graphql, "Periods". Entitlements use it, and reads of analytics its SQL.

/** Instants are only compared: dates, or numbers of one unit. */
export type Instant = Date | number;

export interface PeriodDates<At extends Instant = Date> {
  transactionId: string;
  purchasedAt: At;
  revokedAt: At | null;
  /** The store says that the user has changed to another product, so that another period replaces this one. */
  upgraded: boolean;
}

/**
 * Of the periods that have begun the one that was bought last. One that was replaced, or taken back before it began, stands
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
