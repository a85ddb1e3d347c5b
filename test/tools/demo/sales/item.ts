// What the closing table counts: one transaction, one line or one phone's purchase, as the shop or the API tells of it.

export const lists = ['transactions', 'entitlements', 'phones'] as const;

export interface Item {
  list: (typeof lists)[number];
  /** Unique within the list. */
  id: string;
  productId: string;
  state: string;
  quantity: number;
  /** Null where the list has no prices, or the store gives none. */
  currency: string | null;
  /** In thousandths of the currency's unit. */
  priceMilli: number;
  /** Compared and not printed. Empty where the list has none. */
  dates: string;
}

/** One transaction as both sides give it. */
export interface Period {
  id: string;
  lineId: string;
  productId: string;
  sandbox: boolean;
  purchasedAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  familyShared: boolean;
  introductory: boolean;
  quantity: number;
  currency: string | null;
  priceMilli: number;
}

/** The transactions of lines, each with its state within its line. */
export function transactionItems(periods: Period[]): Item[] {
  const lines = new Map<string, Period[]>();
  for (const period of periods) lines.set(period.lineId, [...(lines.get(period.lineId) ?? []), period]);
  return [...lines.values()].flatMap((line) => {
    const ordered = line.sort((one, other) => one.purchasedAt.getTime() - other.purchasedAt.getTime());
    return ordered.map((period, number) => ({
      ...{ list: 'transactions' as const, id: period.id, productId: period.productId },
      ...{ quantity: period.quantity, currency: period.currency, priceMilli: period.priceMilli },
      dates: datesText(period.purchasedAt, period.expiresAt, period.revokedAt),
      state: stateOf(period, { before: ordered[number - 1], after: ordered[number + 1] }),
    }));
  });
}

export function datesText(...dates: (Date | null)[]): string {
  return dates.map((date) => date?.toISOString() ?? '–').join(' ');
}

function stateOf(period: Period, { before, after }: Record<'before' | 'after', Period | undefined>): string {
  const { revokedAt, expiresAt, familyShared, introductory, sandbox } = period;
  if (familyShared) return revokedAt ? 'family share revoked' : 'family share';
  if (revokedAt) return 'refunded';
  if (after && after.productId !== period.productId && expiresAt && after.purchasedAt < expiresAt) return 'upgraded';
  if (introductory) return 'introductory';
  if (before) return before.productId === period.productId ? 'renewal' : 'upgrade';
  return sandbox ? 'bought in sandbox' : 'bought';
}
