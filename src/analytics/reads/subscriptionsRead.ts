// The read of `subscriptions`: the period of each line that was the latest at an instant, with what the store had said of its renewal.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { question, sql } from '../engine/question.ts';
import { digitsOf } from '../../platform/currencyDigits.ts';
import { microsOf } from '../reportDays.ts';
import { amountText } from './amountText.ts';
import { amountOf, isAskedPurchase, isPaid } from './purchaseRows.ts';

export interface SubscriptionsQuestion {
  applicationId: string;
  at: Date;
  includeTest: boolean;
}

export interface SubscriptionsResult {
  active: number;
  inGrace: number;
  inRetry: number;
  trials: number;
  mrr: { currency: string; amount: string }[];
  asOf: Date;
}

type State = 'paid' | 'grace' | 'retry';

/** Subscriptions of one state, currency, amount and length. */
interface Row {
  state: State;
  trial: boolean;
  /** Null where the period counts for no revenue; so are the next two. */
  currency: string | null;
  /** Thousandths, as text. */
  amount: string | null;
  /** Microseconds of the period, as text. */
  length: string | null;
  count: number;
}

export async function readSubscriptions(
  engine: AnalyticsEngine,
  asked: SubscriptionsQuestion,
): Promise<SubscriptionsResult> {
  const { rows, asOf } = await engine.ask<Row>(statement(asked, engine));
  const active = rows.filter(({ state }) => state !== 'retry');
  const countOf = (some: readonly Row[]) => some.reduce((sum, { count }) => sum + count, 0);
  return {
    active: countOf(active),
    inGrace: countOf(rows.filter(({ state }) => state === 'grace')),
    inRetry: countOf(rows.filter(({ state }) => state === 'retry')),
    trials: countOf(active.filter(({ trial }) => trial)),
    mrr: monthlyOf(active),
    asOf,
  };
}

/** 30.4 days. */
const month = 2_626_560_000_000n;
/** Sums of thirds must not lose a half cent. */
const precision = 10n ** 24n;

/** In the order of the rows. */
function monthlyOf(rows: readonly Row[]): { currency: string; amount: string }[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amount, length, count } of rows) {
    if (currency === null) continue;
    const share = (BigInt(amount!) * BigInt(count) * month * precision * 2n + BigInt(length!)) / (BigInt(length!) * 2n);
    sums.set(currency, (sums.get(currency) ?? 0n) + share);
  }
  return [...sums].map(([currency, sum]) => ({ currency, amount: rounded(sum, currency) }));
}

/** The digits of the currency, rounded half up. What lies within the precision of a half is one. */
function rounded(sum: bigint, currency: string): string {
  const close = (sum + 5n * 10n ** 11n) / 10n ** 12n;
  const digits = digitsOf(currency);
  const least = 10n ** BigInt(15 - digits);
  return amountText((close * 2n + least) / (least * 2n), digits, currency);
}

/** `at` is the instant. Of a line's periods that began at one time the one whose id is last counts. */
function statement({ at, ...asked }: SubscriptionsQuestion, { dialect }: Pick<AnalyticsEngine, 'dialect'>) {
  const instant = sql`${microsOf(at.getTime())}::bigint`;
  const pays = sql`state <> 'retry' AND NOT trial AND currency IS NOT NULL AND amount IS NOT NULL AND length > 0`;
  return question('subscriptions')`WITH
    periods AS (
      SELECT t.line, t.expires_at, t.revoked_at, coalesce(t.offer_mode = 'FREE_TRIAL', false) AS trial, t.currency,
        CASE WHEN ${isPaid} THEN ${amountOf} END AS amount, t.expires_at - t.purchased_at AS length,
        row_number() OVER (PARTITION BY t.line ORDER BY t.purchased_at DESC, ${dialect.ordered(sql`t.id`)} DESC) AS nth
      FROM analytics.transactions t
      WHERE ${isAskedPurchase(asked)} AND t.kind = 'AUTO_RENEWABLE' AND t.purchased_at <= ${instant}),
    renewals AS (
      SELECT r.line, r.in_billing_retry, r.grace_expires_at,
        row_number() OVER (PARTITION BY r.line
          ORDER BY r.signed_at DESC, r.in_billing_retry DESC, r.grace_expires_at DESC NULLS LAST) AS nth
      FROM analytics.renewals r WHERE r.application_id = ${asked.applicationId}::uuid AND r.signed_at <= ${instant}),
    lines AS (
      SELECT CASE WHEN p.expires_at IS NULL OR p.expires_at > ${instant} THEN 'paid'
          WHEN r.grace_expires_at > ${instant} THEN 'grace' WHEN r.in_billing_retry THEN 'retry' END AS state,
        p.trial, p.currency, p.amount, p.length
      FROM periods p LEFT JOIN renewals r ON r.line = p.line AND r.nth = 1
      WHERE p.nth = 1 AND (p.revoked_at IS NULL OR p.revoked_at > ${instant})),
    counted AS (
      SELECT state, trial, CASE WHEN ${pays} THEN currency END AS currency,
        CASE WHEN ${pays} THEN CAST(amount AS text) END AS amount, CASE WHEN ${pays} THEN CAST(length AS text) END AS length
      FROM lines WHERE state IS NOT NULL)
  SELECT state, trial, currency, amount, length, count(*) AS count FROM counted
  GROUP BY state, trial, currency, amount, length
  ORDER BY ${dialect.ordered(sql`currency`)} NULLS LAST, state, trial, amount, length`;
}
