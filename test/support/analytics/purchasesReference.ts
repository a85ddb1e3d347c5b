// The references of `revenue`, `revenueCurrencies` and `subscriptions`: loops over their definitions, with fractions as pairs of whole numbers.
import type { RevenueQuestion } from '../../../src/analytics/questions.ts';
import { holdingPeriod } from '../../../src/purchases/entitlement.ts';
import { byCodePoints } from './codePoints.ts';
import { distinct, isIn, isSpanComplete, spansOf, wholeSpan, type Span } from './definitions.ts';
import type { Micros } from './drawn.ts';
import type { DrawnLine, DrawnPurchase, DrawnPurchases } from './drawnPurchases.ts';

interface Sale extends DrawnPurchase {
  line: DrawnLine;
  /** Price × quantity, in thousandths. */
  amount: bigint;
}

/** What was bought; what the family shares or has no price is left out. */
function salesOf(lines: readonly DrawnLine[], includeTest: boolean): Sale[] {
  const asked = lines.filter(({ environment }) => includeTest || environment === 'PRODUCTION');
  return asked.flatMap((line) =>
    line.purchases.flatMap((purchase) =>
      purchase.ownership === 'PURCHASED' && purchase.priceMilli !== null
        ? [{ ...purchase, line, amount: purchase.priceMilli * BigInt(purchase.quantity) }]
        : [],
    ),
  );
}

export function currenciesOf({ asked }: DrawnPurchases, includeTest: boolean): string[] {
  const found = new Set(salesOf(asked, includeTest).flatMap(({ currency }) => currency ?? []));
  return [...found].sort(byCodePoints);
}

const wasRefunded = ({ purchasedAt, revokedAt, revocationType }: Sale, span: Span): boolean =>
  revokedAt !== null && revocationType !== 'FAMILY_REVOKE' && isIn(span, Math.max(purchasedAt, revokedAt));

function payerOf({ line: { owner, device, id } }: Sale): string {
  if (owner !== null) return `user ${owner}`;
  return device === null ? `nobody ${id}` : `device ${device}`;
}

function figuresOf(sales: readonly Sale[], span: Span, currency: string) {
  const bought = sales.filter(({ purchasedAt }) => isIn(span, purchasedAt));
  const renewals = bought.filter(({ id, line }) => id !== line.id);
  let [gross, refunds] = [0n, 0n];
  for (const { amount } of bought) gross += amount * 100_000n;
  for (const sale of sales) {
    if (wasRefunded(sale, span)) refunds += sale.amount * BigInt(Math.round((sale.revocationPercent ?? 100) * 1_000));
  }
  return {
    gross: decimal(gross, currency),
    refunds: decimal(refunds, currency),
    purchases: bought.length - renewals.length,
    payers: distinct(bought.map(payerOf)),
    renewals: renewals.length,
  };
}

/** Of 10^-8, with at least the digits of the currency. */
function decimal(amount: bigint, currency: string): string {
  const least = currency === 'JPY' ? 0 : 2;
  let fraction = String(amount % 100_000_000n).padStart(8, '0');
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  return `${amount / 100_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}

export function revenueOf(drawn: DrawnPurchases, question: RevenueQuestion) {
  const { currency, breakdown } = question;
  const sales = salesOf(drawn.asked, question.includeTest).filter(
    (sale) => sale.currency === currency && sale.purchasedAt <= drawn.now,
  );
  const pointsOf = (some: readonly Sale[]) =>
    spansOf(question, question.interval).map((span) => ({
      start: span.start,
      complete: isSpanComplete(span, drawn.now),
      ...figuresOf(some, span, currency),
    }));
  const whole = wholeSpan(question);
  return {
    points: pointsOf(sales),
    totals: figuresOf(sales, whole, currency),
    breakdown:
      breakdown === 'NONE'
        ? null
        : linesOf(sales, whole, (sale) => valueOf(sale, breakdown, drawn)).map(({ sales: own, ...line }) => ({
            ...line,
            points: pointsOf(own),
          })),
  };
}

function valueOf(sale: Sale, breakdown: RevenueQuestion['breakdown'], { platforms }: DrawnPurchases): string | null {
  const { device } = sale.line;
  if (breakdown === 'PRODUCT') return sale.productId;
  return breakdown === 'COUNTRY' ? sale.storefront : device === null ? null : (platforms[device] ?? null);
}

/** Highest gross first, equal ones by value, null last; those beyond 20 together. */
function linesOf(sales: readonly Sale[], whole: Span, value: (sale: Sale) => string | null) {
  const moved = sales.filter((sale) => isIn(whole, sale.purchasedAt) || wasRefunded(sale, whole));
  const lines = [...new Set(moved.map(value))].map((each) => {
    const own = moved.filter((sale) => value(sale) === each);
    const gross = own.reduce((sum, sale) => (isIn(whole, sale.purchasedAt) ? sum + sale.amount : sum), 0n);
    return { value: each, isOther: false, sales: own, gross };
  });
  lines.sort((one, other) =>
    one.gross === other.gross ? nullLast(one.value, other.value) : one.gross < other.gross ? 1 : -1,
  );
  const rest = lines.slice(20).flatMap((line) => line.sales);
  const others = rest.length === 0 ? [] : [{ value: null, isOther: true, sales: rest }];
  return [...lines.slice(0, 20).map(({ gross: _gross, ...line }) => line), ...others];
}

function nullLast(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return byCodePoints(one, other);
}

export function subscriptionsOf({ asked }: DrawnPurchases, { at, includeTest }: { at: Micros; includeTest: boolean }) {
  const found = { active: 0, inGrace: 0, inRetry: 0, trials: 0 };
  const paid: DrawnPurchase[] = [];
  for (const line of asked) {
    if (line.kind !== 'AUTO_RENEWABLE' || (line.environment === 'SANDBOX' && !includeTest)) continue;
    const begun = line.purchases.filter(({ purchasedAt }) => purchasedAt <= at);
    const period = holding(begun, at);
    if (!period || (period.revokedAt !== null && !period.upgraded && period.revokedAt <= at)) continue;
    const ended = period.expiresAt !== null && period.expiresAt <= at;
    const renewal = last(line.renewals, ({ signedAt }) => signedAt, at);
    const inGrace = ended && (renewal?.graceExpiresAt ?? -Infinity) > at;
    if (ended && !inGrace) {
      if (renewal?.inBillingRetry) found.inRetry += 1;
      continue;
    }
    found.active += 1;
    if (inGrace) found.inGrace += 1;
    const paidBefore = holding(
      begun.filter((one) => isPayment(one, at)).map((one) => ({ ...one, upgraded: false, revokedAt: null })),
      at,
    );
    const isFree = period.offerMode === 'FREE_TRIAL' || period.priceMilli === 0n;
    if (period.offerMode === 'FREE_TRIAL' && !paidBefore) found.trials += 1;
    else paid.push(isFree && paidBefore && period.ownership === 'PURCHASED' ? paidBefore : period);
  }
  return { ...found, mrr: monthlyOf(paid) };
}

function holding(periods: readonly DrawnPurchase[], at: Micros): DrawnPurchase | null {
  return holdingPeriod(
    periods.map((one) => ({ ...one, transactionId: one.id })),
    at,
  );
}

function isPayment(period: DrawnPurchase, at: Micros): boolean {
  const { ownership, priceMilli, currency, offerMode, purchasedAt, revokedAt, upgraded } = period;
  if (ownership !== 'PURCHASED' || offerMode === 'FREE_TRIAL' || currency === null) return false;
  if ((priceMilli ?? 0n) === 0n || (lengthOf(period) ?? 0) <= 0) return false;
  return revokedAt === null || revokedAt > at || (upgraded && revokedAt > purchasedAt);
}

/** Without an extension. */
function lengthOf({ purchasedAt, expiresAt, paidUntil }: DrawnPurchase): Micros | null {
  return expiresAt === null ? null : Math.min(expiresAt, paidUntil ?? expiresAt) - purchasedAt;
}

/** The latest one that is not after `at`; of equal ones that with the last id. */
function last<Each>(all: readonly Each[], timeOf: (each: Each) => Micros, at: Micros): Each | undefined {
  const idOf = (each: Each) => String((each as { id?: string }).id);
  return all
    .filter((each) => timeOf(each) <= at)
    .sort((one, other) => timeOf(other) - timeOf(one) || byCodePoints(idOf(other), idOf(one)))[0];
}

/** The sum of fractions, exactly. */
function monthlyOf(periods: readonly DrawnPurchase[]): { currency: string; amount: string }[] {
  const sums = new Map<string, [bigint, bigint]>();
  for (const period of periods) {
    const { currency, ownership, priceMilli, quantity, offerMode } = period;
    const length = BigInt(lengthOf(period) ?? 0);
    if (currency === null || ownership !== 'PURCHASED' || priceMilli === null || length <= 0n) continue;
    if (offerMode === 'FREE_TRIAL') continue;
    const [over, under] = sums.get(currency) ?? [0n, 1n];
    const month = (304n * 86_400_000_000n) / 10n;
    sums.set(currency, [over * length + priceMilli * BigInt(quantity) * month * under, under * length]);
  }
  return [...sums]
    .sort(([one], [other]) => byCodePoints(one, other))
    .map(([currency, [over, under]]) => {
      const digits = { JPY: 0, KWD: 3 }[currency] ?? 2;
      const thousandths = 10n ** BigInt(3 - digits);
      const parts = String((over * 2n + under * thousandths) / (under * thousandths * 2n)).padStart(digits + 1, '0');
      const point = parts.length - digits;
      return { currency, amount: digits === 0 ? parts : `${parts.slice(0, point)}.${parts.slice(point)}` };
    });
}
