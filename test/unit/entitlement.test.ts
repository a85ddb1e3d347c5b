// The noun of a line: its periods and statements in any order, whether it is active, and when the store is asked next.
import {
  entitlementOf,
  isActive,
  latestStatements,
  lineIdOf,
  nextLookUp,
  withDuration,
  type Period,
} from '../../src/purchases/entitlement.ts';
import type { SignedRenewal } from '../../src/purchases/storeClient.ts';
import { signedPurchase } from '../support/signedPurchase.ts';

const now = new Date('2026-09-10T00:00:00Z');
const later = (millis: number) => new Date(now.getTime() + millis);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

test('a line is named by the first transaction of a subscription, and by the transaction otherwise', () => {
  const of = (kind: Period['kind']) => lineIdOf({ kind, transactionId: '2', originalTransactionId: '1' });
  const kinds = ['AUTO_RENEWABLE', 'NON_RENEWING', 'NON_CONSUMABLE', 'CONSUMABLE'] as const;
  expect(kinds.map(of)).toEqual(['1', '2', '2', '2']);
});

describe('of two statements about one transaction', () => {
  const refunded = { ...signedPurchase('1'), revokedAt: now, signedAt: later(1) };
  const given = { ...signedPurchase('1'), revokedAt: null, signedAt: later(2) };
  const other = signedPurchase('0');

  test.each([[[refunded, given, other]], [[given, other, refunded]], [[other, refunded, given, refunded]]])(
    'the one signed later holds in full, a revocation that has gone included, in any order (%#)',
    (said) => expect(latestStatements(said)).toEqual([other, given]),
  );
});

describe('what the store says of a renewal', () => {
  const latest: Period = { ...signedPurchase('1'), kind: 'AUTO_RENEWABLE', environment: 'PRODUCTION' };
  const renewal = (signed: number, fields: Partial<SignedRenewal> = {}): SignedRenewal => ({
    ...{ lineId: '1', autoRenew: true, inBillingRetry: false, graceExpiresAt: null, signedAt: later(signed) },
    ...fields,
  });
  const grace = renewal(1, { inBillingRetry: true, graceExpiresAt: later(day) });
  const recovered = renewal(2);

  test.each([[[grace, recovered]], [[recovered, grace]]])('holds by the time when it was signed (%#)', (said) => {
    let line = null as ReturnType<typeof entitlementOf> | null;
    for (const one of said) line = entitlementOf(line, { latest, renewals: [one], lookedUpAt: null });
    expect(line).toMatchObject({ inBillingRetry: false, graceExpiresAt: null, renewalSignedAt: later(2) });
    const together = entitlementOf(null, { latest, renewals: said, lookedUpAt: null });
    expect(together).toEqual(line);
  });

  test('stays where the next statement says nothing of it', () => {
    const before = entitlementOf(null, { latest, renewals: [grace], lookedUpAt: now });
    expect(entitlementOf(before, { latest, renewals: [], lookedUpAt: null })).toEqual(before);
  });
});

type Dates = Parameters<typeof isActive>[0];
const subscription: Dates = {
  ...{ kind: 'AUTO_RENEWABLE', revokedAt: null, autoRenew: true, inBillingRetry: false, graceExpiresAt: null },
  ...{ expiresAt: now, lookedUpAt: later(day), ended: false },
};

describe('is active', () => {
  test.each<[string, Partial<Dates>, boolean]>([
    ['endless', { expiresAt: null }, true],
    ['revoked', { expiresAt: null, revokedAt: later(-1) }, false],
    ['within its period', { expiresAt: later(1) }, true],
    ['at its end', { expiresAt: now }, false],
    ['in grace', { expiresAt: later(-1), graceExpiresAt: later(1) }, true],
    ['after grace', { expiresAt: later(-2), graceExpiresAt: now }, false],
    ['in billing retry after grace', { expiresAt: later(-2), graceExpiresAt: later(-1), inBillingRetry: true }, false],
    ['revoked in grace', { expiresAt: later(-1), graceExpiresAt: later(1), revokedAt: now }, false],
    ['ended, with the look-up of the end outstanding', { expiresAt: now, lookedUpAt: later(-1) }, true],
    ['so for less than an hour', { expiresAt: later(1 - hour), lookedUpAt: later(-2 * hour) }, true],
    ['so for an hour', { expiresAt: later(-hour), lookedUpAt: later(-2 * hour) }, false],
    ['ended, and looked up within a minute', { expiresAt: later(-minute), lookedUpAt: later(-1) }, true],
    ['ended, and looked up a minute after', { expiresAt: later(-minute), lookedUpAt: now }, false],
    ['ended, as the store has said', { expiresAt: later(-1), lookedUpAt: later(-2), ended: true }, false],
    ['ended, and not to renew', { expiresAt: now, lookedUpAt: later(-1), autoRenew: false }, false],
    ['ended, and in billing retry', { expiresAt: now, lookedUpAt: later(-1), inBillingRetry: true }, false],
    ['ended, and never looked up', { expiresAt: now, lookedUpAt: null }, false],
    ['another kind that has ended', { kind: 'NON_RENEWING', expiresAt: now, lookedUpAt: later(-1) }, false],
    ['revoked while the look-up is outstanding', { revokedAt: now, lookedUpAt: later(-1) }, false],
  ])('%s: %p', (_, fields, active) => {
    expect(isActive({ ...subscription, ...fields }, now)).toBe(active);
  });
});

test('a line that the store has told of waits for the look-up of its end too, unless it was told a minute after the end', () => {
  const renewals = [{ lineId: 'line', autoRenew: true, inBillingRetry: false, graceExpiresAt: null, signedAt: now }];
  const told = (signedAt: Date) => {
    const period = { ...signedPurchase('line'), kind: 'AUTO_RENEWABLE', expiresAt: now } as const;
    const latest = { ...period, environment: 'PRODUCTION', signedAt } as const;
    return entitlementOf(null, { latest, renewals, lookedUpAt: null });
  };
  const active = [later(-day), later(1), later(minute)].map((signedAt) => isActive(told(signedAt), later(minute + 1)));
  expect(active).toEqual([true, true, false]);
});

describe('that the store has said that a line has ended', () => {
  const first = { ...signedPurchase('1'), kind: 'AUTO_RENEWABLE', environment: 'PRODUCTION', expiresAt: now } as const;
  const second = { ...first, transactionId: '2', purchasedAt: later(hour), expiresAt: later(day) };
  const said = (signed: number, expired: boolean): SignedRenewal => ({
    ...{ lineId: '1', autoRenew: true, inBillingRetry: false, graceExpiresAt: null, signedAt: later(signed), expired },
  });
  const ended = entitlementOf(null, { latest: first, renewals: [said(1, true)], lookedUpAt: null });

  test('holds until the store says otherwise, or moves the end', () => {
    const after = (latest: Period, renewals: SignedRenewal[]) =>
      entitlementOf(ended, { latest, renewals, lookedUpAt: null }).ended;
    expect(after(first, [])).toBe(true);
    expect(after(first, [said(2, false)])).toBe(false);
    expect(after({ ...first, expiresAt: later(day) }, [])).toBe(false);
    expect(after(second, [])).toBe(false);
  });

  test('is about the period before, where it was signed before this one was bought', () => {
    const line = entitlementOf(null, { latest: second, renewals: [said(1, true)], lookedUpAt: null });
    expect(line.ended).toBe(false);
  });
});

describe('the store is asked by itself', () => {
  const next = (fields: Partial<Dates>) => nextLookUp({ ...subscription, ...fields }, now);

  test.each<[string, Partial<Dates>, Date | null]>([
    ['at the end of the period', { expiresAt: later(day) }, later(day)],
    ['also where it is not to renew, which may change', { expiresAt: later(day), autoRenew: false }, later(day)],
    ['not after it has ended', { expiresAt: later(-day), autoRenew: false }, null],
    ['not for another kind', { kind: 'NON_RENEWING', expiresAt: later(day) }, null],
    ['not after it was revoked', { expiresAt: later(day), revokedAt: now }, null],
    [
      'at the end of grace',
      { expiresAt: later(-hour), inBillingRetry: true, graceExpiresAt: later(hour) },
      later(hour),
    ],
    [
      'on each day of grace',
      { expiresAt: later(-hour), inBillingRetry: true, graceExpiresAt: later(3 * day) },
      later(day - hour),
    ],
    ['on each day of billing retry', { expiresAt: later(-3 * day - hour), inBillingRetry: true }, later(day - hour)],
    ['until 60 days have passed', { expiresAt: later(-60 * day), inBillingRetry: true }, null],
    ['a minute after an end without a renewal', { expiresAt: later(-1_000) }, later(minute)],
    ['and then after as long as it has been', { expiresAt: later(-hour) }, later(hour)],
    ['at most a day', { expiresAt: later(-5 * day) }, later(day)],
  ])('%s', (_, fields, at) => expect(next(fields)).toEqual(at));
});

test.each<[string, Parameters<typeof withDuration>, Date | null]>([
  ['a pass of 30 days', [{ kind: 'NON_RENEWING', purchasedAt: now, expiresAt: null }, 30], later(30 * day)],
  ['one without a duration', [{ kind: 'NON_RENEWING', purchasedAt: now, expiresAt: null }, null], null],
  ['an end that the store gives', [{ kind: 'NON_RENEWING', purchasedAt: now, expiresAt: later(day) }, 30], later(day)],
  ['another kind', [{ kind: 'NON_CONSUMABLE', purchasedAt: now, expiresAt: null }, 30], null],
])('the end of %s', (_, args, end) => expect(withDuration(...args)).toEqual(end));
