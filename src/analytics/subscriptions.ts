// query subscriptions: the subscriptions of an application at an instant.
import type { QuerySubscriptionsArgs, Subscriptions } from '../../generated/graphql.ts';
import { digitsOf } from '../platform/currencyDigits.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { question, sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import {
  amountOf,
  amountText,
  holdsFirst,
  isAskedPurchase,
  isPaid,
  paidLength,
  takenBackAt,
} from './reads/purchaseRows.ts';
import { microsOf } from './reportDays.ts';

type Args = Partial<QuerySubscriptionsArgs> & Pick<QuerySubscriptionsArgs, 'applicationId'>;

/** A client may ask for the present by a clock that is a little ahead. */
const mostAheadMillis = 60_000;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function subscriptions(args: Args, needs: AnalyticsNeeds): Promise<Subscriptions> {
  const rules = inputRules();
  const now = needs.now();
  const asked = args.at ?? now;
  if (asked.getTime() > now.getTime() + mostAheadMillis) rules.refuse('at', 'must not be in the future');
  const at = asked < now ? asked : now;
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readSubscriptions(engine, { applicationId: id, at, includeTest: args.includeTest ?? false }),
    rowsOf: ({ mrr }) => mrr.length,
  });
}

// The read of `subscriptions`: the period of each line that held at an instant, with what the store had said of its renewal.

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

/**
 * `at` is the instant. A free period in a line that was paid for before keeps a payer: it brings what the last paid period did.
 */
function statement({ at, ...asked }: SubscriptionsQuestion, { dialect }: Pick<AnalyticsEngine, 'dialect'>) {
  const instant = sql`${microsOf(at.getTime())}::bigint`;
  const pays = sql`state <> 'retry' AND NOT trial AND currency IS NOT NULL AND amount IS NOT NULL AND length > 0`;
  const isTrial = sql`coalesce(t.offer_mode = 'FREE_TRIAL', false)`;
  // Money that was paid back counts for none. What an upgrade has replaced was paid for until then.
  const kept = sql`(t.revoked_at IS NULL OR t.revoked_at > ${instant} OR t.upgraded AND t.revoked_at > t.purchased_at)`;
  return question('subscriptions')`WITH
    begun AS (
      SELECT t.line, t.expires_at, ${takenBackAt} AS revoked_at, ${isTrial} AS trial, t.currency,
        CASE WHEN ${isPaid} THEN ${amountOf} END AS amount, ${paidLength} AS length,
        t.ownership = 'PURCHASED' AND (${isTrial} OR t.price_milli = 0) AS free,
        row_number() OVER (PARTITION BY t.line ORDER BY ${holdsFirst(dialect, instant)}) AS nth,
        CASE WHEN ${isPaid} AND t.price_milli > 0 AND NOT ${isTrial} AND t.currency IS NOT NULL AND ${paidLength} > 0 AND ${kept}
          THEN row_number() OVER (PARTITION BY t.line ORDER BY t.purchased_at, length(t.id), ${dialect.ordered(sql`t.id`)}) END AS paid
      FROM analytics.transactions t
      WHERE ${isAskedPurchase(asked)} AND t.kind = 'AUTO_RENEWABLE' AND t.purchased_at <= ${instant}),
    paid AS (SELECT line, max(paid) AS paid FROM begun GROUP BY line HAVING max(paid) IS NOT NULL),
    periods AS (
      SELECT b.line, b.expires_at, b.revoked_at, b.trial AND p.line IS NULL AS trial,
        CASE WHEN b.free AND p.line IS NOT NULL THEN p.currency ELSE b.currency END AS currency,
        CASE WHEN b.free AND p.line IS NOT NULL THEN p.amount ELSE b.amount END AS amount,
        CASE WHEN b.free AND p.line IS NOT NULL THEN p.length ELSE b.length END AS length
      FROM begun b LEFT JOIN (SELECT b.* FROM begun b JOIN paid l ON l.line = b.line AND l.paid = b.paid) p ON p.line = b.line
      WHERE b.nth = 1),
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
      WHERE (p.revoked_at IS NULL OR p.revoked_at > ${instant})),
    counted AS (
      SELECT state, trial, CASE WHEN ${pays} THEN currency END AS currency,
        CASE WHEN ${pays} THEN CAST(amount AS text) END AS amount, CASE WHEN ${pays} THEN CAST(length AS text) END AS length
      FROM lines WHERE state IS NOT NULL)
  SELECT state, trial, currency, amount, length, count(*) AS count FROM counted
  GROUP BY state, trial, currency, amount, length
  ORDER BY ${dialect.ordered(sql`currency`)} NULLS LAST, state, trial, amount, length`;
}
