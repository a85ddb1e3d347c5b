// The nouns of purchases: verdicts, retry times, decisions and credentials.
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { isAppError } from '../../src/platform/errors.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { retryDelay } from '../../src/platform/outboundCalls.ts';
import {
  entitlementOf,
  holdingPeriod,
  isActive,
  latestStatements,
  lineIdOf,
  nextBegin,
  nextLookUp,
  type Period,
  type PeriodDates,
  takenBackAt,
  withDuration,
} from '../../src/purchases/entitlement.ts';
import { entitlementEvents, type ToldChange, toldOf } from '../../src/purchases/emitEntitlementEvents.ts';
import {
  type Claim,
  decideLine,
  type EntitlementPolicy,
  firstDeviceOf,
  type Holder,
  type LineFacts,
  type Owner,
} from '../../src/purchases/lineHolders.ts';
import { lineUp, type NamedTransaction } from '../../src/purchases/uploadsStore.ts';
import { decide, type Decision, type Finding } from '../../src/purchases/lookUpTransaction.ts';
import { pageOf, readCursor, writeCursor } from '../../src/purchases/lists.ts';
import { priceText } from '../../src/purchases/entitlementsStore.ts';
import {
  defaultBackoff,
  parseRetryAfter,
  type SignedRenewal,
  type StoreFailure,
  storeVerdict,
} from '../../src/purchases/storeClient.ts';
import { renewalOf, type TransactionFields, transactionOf } from '../../src/purchases/signedData.ts';
import { readStoreCredentials, type StoreCredentialsInput } from '../../src/purchases/storeCredentials.ts';
import { signedPurchase } from '../support/signedPurchase.ts';

describe('purchases', () => {
  const now = new Date('2026-09-10T00:00:00Z');
  const later = (millis: number) => new Date(now.getTime() + millis);

  describe('storeVerdict', () => {
    const status = (status: number, code: number | null = null): StoreFailure => ({
      kind: 'status',
      status,
      code,
      retryAt: null,
    });

    test.each<[StoreFailure, string, string | null]>([
      [status(404, 4_040_010), 'elsewhere', null],
      [status(404, 4_040_001), 'elsewhere', null],
      [status(404, 4_040_005), 'elsewhere', null],
      [status(404, 4_040_002), 'retry', 'store_unavailable'],
      [status(404, 4_040_004), 'retry', 'store_unavailable'],
      [status(404, 4_040_006), 'retry', 'store_unavailable'],
      [status(404), 'retry', 'store_unavailable'],
      [status(401), 'credentials_refused', null],
      [status(401, 4_010_000), 'credentials_refused', null],
      [status(429, 4_290_000), 'retry', 'store_busy'],
      [status(408), 'retry', 'store_unavailable'],
      [status(500, 5_000_000), 'retry', 'store_unavailable'],
      [status(500, 5_000_001), 'retry', 'store_unavailable'],
      [status(503), 'retry', 'store_unavailable'],
      [status(400, 4_000_006), 'failed', 'store_refused_4000006'],
      [status(403), 'failed', 'store_refused_403'],
      [{ kind: 'unreachable', detail: 'TimeoutError' }, 'retry', 'store_unavailable'],
      [{ kind: 'unverified', reason: 'wrong_bundle' }, 'failed', 'wrong_bundle'],
    ])('%j is %s %s', (failure, verdict, reason) => {
      expect(storeVerdict(failure)).toMatchObject({ verdict, ...(reason !== null && { reason }) });
    });

    test.each<[StoreFailure, string]>([
      [status(404, 4_040_002), 'status 404, 4040002'],
      [status(503), 'status 503'],
      [{ kind: 'unreachable', detail: 'ENOTFOUND' }, 'ENOTFOUND'],
    ])('%j that is tried again has the cause: %s', (failure, cause) => {
      expect(storeVerdict(failure)).toMatchObject({ verdict: 'retry', cause });
    });

    test.each([429, 503, 408])('the time that the store names is kept, whatever its status: %d', (code) => {
      const retryAt = later(60_000);
      expect(storeVerdict({ kind: 'status', status: code, code: null, retryAt })).toMatchObject({ retryAt });
    });
  });

  describe('retry times', () => {
    test('double up to six hours, spread by a quarter, and end after five days', () => {
      const delay = (attempt: number, random: number) => retryDelay(attempt, random, defaultBackoff);
      expect([1, 2, 3].map((attempt) => delay(attempt, 0.5))).toEqual([5_000, 10_000, 20_000]);
      expect([delay(1, 0), delay(1, 1)]).toEqual([3_750, 6_250]);
      expect([delay(29, 0.5), delay(30, 0.5)]).toEqual([6 * 3_600_000, null]);
      const all = Array.from({ length: 29 }, (_, index) => delay(index + 1, 0.5)!);
      const days = all.reduce((sum, each) => sum + each, 0) / 86_400_000;
      expect(days).toBeGreaterThan(4);
      expect(days).toBeLessThan(6);
    });

    test.each<[string | null, Date | null]>([
      [String(later(90_000).getTime()), later(90_000)],
      ['90', later(90_000)],
      [later(90_000).toUTCString(), later(90_000)],
      [String(later(-1).getTime()), null],
      [String(later(10 * 86_400_000).getTime()), later(86_400_000)],
      ['soon', null],
      ['', null],
      ['-5', null],
      [null, null],
    ])('Retry-After %p', (header, at) => {
      expect(parseRetryAfter(header, now)).toEqual(at);
    });
  });

  describe('decide', () => {
    const circumstances = { attempt: 1, now, random: 0.5 };
    const open = { state: 'PENDING', notKnownSince: null } as const;
    const busy = { verdict: 'retry', reason: 'store_busy', cause: 'status 429' } as const;

    test('keeps asking after our own delay, and not before the time that the store names', () => {
      const asked = (retryAt: Date | null, attempt = 1) =>
        decide({ ...busy, retryAt }, open, { ...circumstances, attempt });
      expect(asked(null)).toMatchObject({ state: 'PENDING', reason: 'store_busy', askAgainAt: later(5_000) });
      expect(asked(later(60_000))).toMatchObject({ askAgainAt: later(60_000) });
      expect(asked(later(1_000))).toMatchObject({ askAgainAt: later(5_000) });
      expect(asked(null, 30)).toMatchObject({ state: 'FAILED', reason: 'retries_exhausted', askAgainAt: null });
    });

    /** Asks until the store is asked no more: the last attempt, its decision, and the time that it took. */
    function until(finding: (present: Date) => Finding): { attempt: number; decision: Decision; hours: number } {
      let [attempt, present] = [1, now];
      let decision = decide(finding(present), open, { attempt, now: present, random: 0.5 });
      while (decision.askAgainAt) {
        present = decision.askAgainAt;
        attempt += 1;
        decision = decide(finding(present), { ...open, ...decision }, { attempt, now: present, random: 0.5 });
      }
      return { attempt, decision, hours: (present.getTime() - now.getTime()) / 3_600_000 };
    }

    test('uses its attempts up in days, also where the store asks to come back in a second each time', () => {
      const { attempt, decision, hours } = until((present) => ({ ...busy, retryAt: parseRetryAfter('1', present) }));
      expect([attempt, decision]).toMatchObject([30, { state: 'FAILED', reason: 'retries_exhausted' }]);
      expect([hours > 96, hours < 144]).toEqual([true, true]);
    });

    test('a transaction that the store does not know yet is asked for with growing pauses for exactly 24 hours', () => {
      const first = decide({ verdict: 'not_found' }, open, circumstances);
      expect(first).toMatchObject({ state: 'PENDING', reason: 'not_known_yet', askAgainAt: later(5_000) });
      const { attempt, decision, hours } = until(() => ({ verdict: 'not_found' }));
      expect([attempt > 10, attempt < 20, hours]).toEqual([true, true, 24]);
      expect(decision).toMatchObject({ state: 'NOT_FOUND', reason: null, askAgainAt: null });
    });

    test('refused credentials are asked with again after growing pauses of up to an hour, without an end', () => {
      const pause = (attempt: number) =>
        decide({ verdict: 'credentials_refused' }, open, { ...circumstances, attempt }).askAgainAt!.getTime() - +now;
      expect([1, 2, 3, 11, 1_000].map(pause)).toEqual([5_000, 10_000, 20_000, 3_600_000, 3_600_000]);
      const decision = decide({ verdict: 'credentials_refused' }, open, { ...circumstances, attempt: 1_000 });
      expect(decision).toMatchObject({ state: 'PENDING', reason: 'credentials_refused' });
    });

    test.each(['NOT_FOUND', 'FAILED', 'RESOLVED'] as const)('a repeated look-up leaves %s as it is', (state) => {
      const failed = { verdict: 'failed', reason: 'wrong_bundle' } as const;
      const again = (finding: Finding) => decide(finding, { state, notKnownSince: null }, circumstances);
      expect(again(failed)).toMatchObject({ state, error: 'wrong_bundle', askAgainAt: null });
      expect(again({ ...busy, retryAt: null })).toMatchObject({ state, error: 'store_busy', askAgainAt: later(5_000) });
      expect(again({ verdict: 'credentials_refused' })).toMatchObject({ state, askAgainAt: later(5_000) });
      const unknown = again({ verdict: 'not_found' });
      // Its buyer may have uploaded it before the store knows of the sale.
      const askAgainAt = state === 'RESOLVED' ? null : later(5_000);
      expect(unknown).toMatchObject({ state, error: 'not_known_yet', askAgainAt });
    });
  });

  describe('readStoreCredentials', () => {
    const pem = (namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
      generateKeyPairSync('ec', {
        namedCurve,
        privateKeyEncoding: { type, format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      }).privateKey;
    const given = { issuerId: 'issuer', keyId: 'key', privateKey: pem('P-256'), bundleId: null };
    const refused = (input: StoreCredentialsInput) => {
      try {
        readStoreCredentials(input);
      } catch (error) {
        if (isAppError(error, 'validation_failed')) return error.details.fields;
        throw error;
      }
      return [];
    };
    const paths = (input: StoreCredentialsInput) => refused(input).map(({ path }) => path);

    test('takes all of them, the bundle id being optional, or none', () => {
      expect(readStoreCredentials(given)).toEqual(given);
      expect(readStoreCredentials({ ...given, bundleId: undefined })).toEqual(given);
      expect(readStoreCredentials({ ...given, bundleId: 'com.example' })).toMatchObject({ bundleId: 'com.example' });
      expect(readStoreCredentials({})).toBeNull();
      expect(readStoreCredentials({ issuerId: null, keyId: null, privateKey: null, bundleId: null })).toBeNull();
    });

    test('removes white space around identifiers', () => {
      const pasted = { ...given, issuerId: ' issuer\n', keyId: '\u00a0key', bundleId: '\tcom.example ' };
      expect(readStoreCredentials(pasted)).toEqual({ ...given, bundleId: 'com.example' });
    });

    test('names each field that is missing or wrong', () => {
      expect(paths({ issuerId: 'issuer' })).toEqual(['input.keyId', 'input.privateKey']);
      expect(paths({ bundleId: 'com.example' })).toEqual(['input.issuerId', 'input.keyId', 'input.privateKey']);
      expect(paths({ ...given, keyId: ' \u0085', bundleId: '' })).toEqual(['input.keyId', 'input.bundleId']);
      expect(paths({ ...given, issuerId: 'x'.repeat(257) })).toEqual(['input.issuerId']);
      expect(paths({ ...given, issuerId: '\0', keyId: '\ud800' })).toEqual(['input.issuerId', 'input.keyId']);
    });

    test.each([
      ['another curve', pem('P-384')],
      ['another form', pem('P-256', 'sec1')],
      ['no key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
      ['nothing', ''],
      ['too long', `${given.privateKey}${'\n'.repeat(4_096)}`],
    ])('refuses %s without repeating it', (_, privateKey) => {
      const message = 'must be a P-256 private key in PKCS#8 PEM';
      expect(refused({ ...given, privateKey })).toEqual([{ path: 'input.privateKey', message }]);
    });
  });
});

// The noun of a line: its periods and statements in any order, whether it is active, and when the store is asked next.
describe('entitlement', () => {
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
      [
        'in billing retry after grace',
        { expiresAt: later(-2), graceExpiresAt: later(-1), inBillingRetry: true },
        false,
      ],
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
    const active = [later(-day), later(1), later(minute)].map((signedAt) =>
      isActive(told(signedAt), later(minute + 1)),
    );
    expect(active).toEqual([true, true, false]);
  });

  describe('that the store has said that a line has ended', () => {
    const first = {
      ...signedPurchase('1'),
      kind: 'AUTO_RENEWABLE',
      environment: 'PRODUCTION',
      expiresAt: now,
    } as const;
    const second = { ...first, transactionId: '2', purchasedAt: later(hour), expiresAt: later(day) };
    const said = (signed: number, expired: boolean): SignedRenewal => ({
      ...{
        lineId: '1',
        autoRenew: true,
        inBillingRetry: false,
        graceExpiresAt: null,
        signedAt: later(signed),
        expired,
      },
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
    [
      'an end that the store gives',
      [{ kind: 'NON_RENEWING', purchasedAt: now, expiresAt: later(day) }, 30],
      later(day),
    ],
    ['another kind', [{ kind: 'NON_CONSUMABLE', purchasedAt: now, expiresAt: null }, 30], null],
  ])('the end of %s', (_, args, end) => expect(withDuration(...args)).toEqual(end));
});

// The noun of entitlement events: which a change of a line makes, and in which order.
describe('entitlementEvents', () => {
  const now = new Date('2026-09-10T00:00:00Z');
  const later = (millis: number) => new Date(now.getTime() + millis);
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

  type Line = ToldChange['after'];

  /** Told active, in a period of 30 days that began ten days ago. */
  const line: Line = {
    ...{ kind: 'AUTO_RENEWABLE', revokedAt: null, autoRenew: true, inBillingRetry: false, graceExpiresAt: null },
    ...{ purchasedAt: later(-10 * day), expiresAt: later(20 * day), lookedUpAt: later(-day), durationDays: null },
    ...{ owner: null, toldActive: true, transactionId: '1', beginsAt: null, ended: false },
  };
  const next = { purchasedAt: later(-minute), expiresAt: later(30 * day) };
  const untold = { toldActive: false };
  const ended = { ...untold, expiresAt: later(-day), lookedUpAt: later(-hour) };
  const nobody: ToldChange['holders'] = { before: [], after: [] };

  const [activated, renewed, expired, revoked, transferred] = [
    'ENTITLEMENT_ACTIVATED',
    'ENTITLEMENT_RENEWED',
    'ENTITLEMENT_EXPIRED',
    'ENTITLEMENT_REVOKED',
    'ENTITLEMENT_TRANSFERRED',
  ];

  describe('the course of a line', () => {
    // What was stored before (null: a new line), what is stored after, the events.
    test.each<[string, Partial<Line> | null, Partial<Line>, string[]]>([
      ['first activation', null, untold, [activated]],
      ['a line first heard of after its end', null, ended, []],
      ['a line first heard of after its refund', null, { ...untold, revokedAt: now }, []],
      ['a purchase without an end', null, { ...untold, kind: 'NON_CONSUMABLE', expiresAt: null }, [activated]],
      ['the same once more', {}, {}, []],
      ['the same once more after the end', ended, ended, []],
      ['a renewal inside the period', {}, next, [renewed]],
      ['a renewal found late, before the end was told', { expiresAt: later(-minute) }, next, [renewed]],
      ['a renewal found late, after the end was told', ended, { ...next, ...untold }, [activated]],
      ['a purchase long after the end', { ...ended, expiresAt: later(-5 * day) }, { ...next, ...untold }, [activated]],
      ['an upgrade, which may end earlier', {}, { purchasedAt: later(-1), expiresAt: later(7 * day) }, [renewed]],
      ['an end that the store has moved away', {}, { expiresAt: later(25 * day) }, [renewed]],
      ['an end that the store has moved nearer', {}, { expiresAt: later(15 * day) }, []],
      ['auto-renew turned off', {}, { autoRenew: false }, []],
      [
        'grace begins',
        { expiresAt: later(-minute) },
        { expiresAt: later(-minute), inBillingRetry: true, graceExpiresAt: later(day), lookedUpAt: now },
        [],
      ],
      [
        'billing retry without grace',
        { expiresAt: later(-minute) },
        { expiresAt: later(-minute), inBillingRetry: true, lookedUpAt: now },
        [expired],
      ],
      [
        'billing retry after grace',
        { expiresAt: later(-day), inBillingRetry: true, graceExpiresAt: now },
        { expiresAt: later(-day), inBillingRetry: true, graceExpiresAt: now, lookedUpAt: now },
        [expired],
      ],
      [
        'the price is collected in billing retry',
        { ...ended, inBillingRetry: true },
        { ...next, ...untold },
        [activated],
      ],
      ['the price is collected in grace', { expiresAt: later(-minute), graceExpiresAt: later(day) }, next, [renewed]],
      ['expiry', { expiresAt: later(-1), autoRenew: false }, { expiresAt: later(-1), autoRenew: false }, [expired]],
      ['an end whose look-up is outstanding', { expiresAt: later(-minute) }, { expiresAt: later(-minute) }, []],
      ['so for an hour', { expiresAt: later(-hour), lookedUpAt: later(-day) }, { expiresAt: later(-hour) }, [expired]],
      [
        'a renewal that has ended too',
        { expiresAt: later(-9 * day) },
        { ...next, purchasedAt: later(-9 * day), expiresAt: later(-minute), lookedUpAt: now },
        [expired],
      ],
      [
        'another product in place of a renewal that was bought after it',
        { ...next, transactionId: '2' },
        { purchasedAt: later(-day), expiresAt: later(10 * day), transactionId: '3' },
        [renewed],
      ],
      ['revocation', {}, { revokedAt: now }, [revoked]],
      ['the same revocation with another date', { revokedAt: later(-1) }, { revokedAt: now, ...untold }, []],
      ['a renewal that was refunded', {}, { ...next, revokedAt: now }, [revoked]],
      ['revocation undone', { revokedAt: now }, untold, [activated]],
      ['revocation undone after the end', { ...ended, revokedAt: later(-hour) }, ended, []],
      ['a new purchase after a revocation', { revokedAt: later(-day) }, { ...next, ...untold }, [activated]],
      ['a refund after expiry', ended, { ...ended, revokedAt: now }, [revoked]],
      ['a later period after expiry, bought and refunded', ended, { ...next, ...untold, revokedAt: now }, []],
      [
        'a refund of an end that nobody has told',
        { expiresAt: later(-1) },
        { expiresAt: later(-1), revokedAt: now },
        [revoked],
      ],
    ])('%s', (_, ...[before, after, events]) => {
      const change = { before: before && { ...line, ...before }, after: { ...line, ...after }, holders: nobody };
      expect(entitlementEvents(change, now)).toEqual(events);
    });

    const pass = { kind: 'NON_RENEWING', purchasedAt: later(-10 * day), expiresAt: null } as const;
    test.each<[string, Partial<Line>, string[]]>([
      ['that lasts', { durationDays: 30 }, []],
      ['that an edit has ended', { durationDays: 10 }, [expired]],
      ['that an edit lets go on', { durationDays: 11, ...untold }, [activated]],
      ['that an edit lets go on for ever', { durationDays: null, ...untold }, [activated]],
      ['that has ended as before', { durationDays: 10, ...untold }, []],
    ])('a product with a duration, %s', (_, fields, events) => {
      const stored = { ...line, ...pass, ...fields };
      expect(entitlementEvents({ before: stored, after: stored, holders: nobody }, now)).toEqual(events);
    });
  });

  describe('who has it', () => {
    const [id, upper] = ['0a8f3d6e-7c1a-4b3e-9a51-2f0c6d1e4b90', '0A8F3D6E-7C1A-4B3E-9A51-2F0C6D1E4B90'];
    const owner = (externalId: string, deviceId: string | null = 'd'): Owner => ({ externalId, deviceId });
    const held = (...names: string[]): Holder[] =>
      names.map((name) => ({ deviceKey: name.split(' ')[0]!, externalId: name.split(' ')[1] ?? '' }));

    test.each<[string, Owner | null, Owner | null, Holder[], Holder[], string[]]>([
      ['a first owner', null, owner('A'), held('1'), held('1', '2 A'), [transferred]],
      ['another owner', owner('A'), owner('B'), held('1 A'), held('2 B'), [transferred]],
      ['no owner any more', owner('A'), null, held('1 A'), [], [transferred]],
      ['the same owner', owner('A'), owner('A'), held('1 A'), held('1 A'), []],
      ['another device of the owner', owner('A'), owner('A'), held('1 A'), held('1 A', '2 A'), []],
      ['somebody who shares it', owner('A'), owner('A'), held('1 A'), held('1 A', '2 B'), []],
      ['somebody who shares it no longer', owner('A'), owner('A'), held('1 A', '2 B'), held('1 A'), [transferred]],
      ['another device without an owner', null, null, held('1'), held('1', '2'), []],
      ['the first device of the account token', owner(id, null), owner(upper), [], held(`1 ${upper}`), []],
    ])('%s', (_, ...[before, after, holdersBefore, holdersAfter, events]) => {
      const change: ToldChange = {
        ...{ before: { ...line, owner: before }, after: { ...line, owner: after } },
        holders: { before: holdersBefore, after: holdersAfter },
      };
      expect(entitlementEvents(change, now)).toEqual(events);
    });

    test('of a new line nothing is transferred', () => {
      const after = { ...line, ...untold, owner: owner('A') };
      expect(entitlementEvents({ before: null, after, holders: { before: [], after: held('1 A') } }, now)).toEqual([
        activated,
      ]);
    });

    test('what became of it comes before whose it is', () => {
      const holders = { before: held('1 A'), after: held('2 B') };
      const before = { ...line, owner: owner('A') };
      const to = (fields: Partial<Line>) =>
        entitlementEvents({ before, after: { ...line, owner: owner('B'), ...fields }, holders }, now);
      expect(to(next)).toEqual([renewed, transferred]);
      expect(to({ revokedAt: now })).toEqual([revoked, transferred]);
      expect(to({ expiresAt: later(-hour), autoRenew: false })).toEqual([expired, transferred]);
    });
  });

  describe('after the events', () => {
    test.each<[string, Partial<Line>, boolean, Date | null]>([
      ['the end is told by the clock', {}, true, later(20 * day)],
      ['an hour later where the store is to be asked', { autoRenew: true }, true, later(20 * day + hour)],
      [
        'the end of grace',
        { expiresAt: later(-day), graceExpiresAt: later(day), inBillingRetry: true },
        true,
        later(day),
      ],
      ['nothing where it does not end', { expiresAt: null }, true, null],
      ['nothing of a line that has ended', { expiresAt: now }, false, null],
      ['nothing of a line that was revoked', { revokedAt: now }, false, null],
      ['the end of a duration', { kind: 'NON_RENEWING', expiresAt: null, durationDays: 30 }, true, later(20 * day)],
      ['a minute before the next begin', { beginsAt: later(day) }, true, later(day - minute)],
      ['an end before the next begin', { beginsAt: later(30 * day) }, true, later(20 * day)],
      ['the next begin after an end', { expiresAt: later(-1), beginsAt: later(day) }, false, later(day - minute)],
    ])('%s', (_, fields, ...[toldActive, tellAt]) => {
      expect(toldOf({ ...line, autoRenew: false, ...fields }, now)).toEqual({ toldActive, tellAt });
    });
  });
});

// The noun of owners: each policy as a table of sequences with the state after each step (schema.graphql, "Owners").
describe('lineHolders', () => {
  const start = new Date('2026-09-10T00:00:00Z').getTime();

  /** `phone1 as A`: an upload of the line by a device, under an external id or none. A minute passes before each. */
  type Step = string;
  /** The owner, and who holds the line: `A: phone1 as A, phone2 as A`; the owner is `-` for none. */
  type State = string;

  interface Terms extends Partial<Pick<LineFacts, 'accountToken' | 'ownership'>> {
    policy: EntitlementPolicy;
    /** How many of the steps come before the purchase. */
    early?: number;
    /** Other transactions that devices have named: `phone1 as A`. */
    elsewhere?: string[];
  }

  function read(step: Step): { deviceKey: string; externalId: string } {
    const [deviceKey, externalId = ''] = step.split(' as ');
    return { deviceKey: deviceKey!, externalId };
  }

  function claimsOf(steps: Step[], early: number): Claim[] {
    const claims = new Map<string, Claim>();
    for (const [index, step] of steps.entries()) {
      const at = new Date(start + (index + 1 - early) * 60_000 - 1);
      const { deviceKey, externalId } = read(step);
      const claim = claims.get(step) ?? {
        ...{ deviceKey, deviceId: deviceKey, externalId, arrivals: [] },
        purchasedAt: new Date(start),
      };
      claims.set(step, { ...claim, arrivals: [...claim.arrivals, at] });
    }
    return [...claims.values()];
  }

  function stateAfter(steps: Step[], { early = 0, elsewhere = [], ...terms }: Terms): State {
    const named = [...elsewhere, ...steps].map(read).filter(({ externalId }) => externalId !== '');
    const facts = { accountToken: null, ownership: 'PURCHASED' as const, ...terms, named };
    const claims = claimsOf(steps, early);
    const decision = decideLine({ ...facts, claims });
    // The order in which the database gives the claims says nothing.
    expect(decideLine({ ...facts, claims: claims.toReversed() })).toEqual(decision);
    const holders = decision.holders.map(
      ({ deviceKey, externalId }) => deviceKey + (externalId && ` as ${externalId}`),
    );
    return `${decision.owner?.externalId ?? '-'}: ${holders.join(', ')}`;
  }

  type Sequence = [string, Terms, [Step, State][]];

  const token = '6F9619FF-8B86-D011-B42D-00C04FC964FF';
  const buyer = token.toLowerCase();

  test.each<Sequence>([
    [
      'KEEP: A buys, B restores, A restores on a second phone',
      { policy: 'KEEP' },
      [
        ['a1 as A', 'A: a1 as A'],
        ['b1 as B', 'A: a1 as A'],
        ['a2 as A', 'A: a1 as A, a2 as A'],
        ['b1 as B', 'A: a1 as A, a2 as A'],
      ],
    ],
    [
      'TRANSFER: A buys, B restores, A restores',
      { policy: 'TRANSFER' },
      [
        ['a1 as A', 'A: a1 as A'],
        ['b1 as B', 'B: b1 as B'],
        ['a1 as A', 'A: a1 as A'],
        ['a2 as A', 'A: a1 as A, a2 as A'],
        ['b1 as B', 'B: b1 as B'],
      ],
    ],
    [
      'SHARE: A buys, B restores, A restores',
      { policy: 'SHARE' },
      [
        ['a1 as A', 'A: a1 as A'],
        ['b1 as B', 'A: a1 as A, b1 as B'],
        ['a1 as A', 'A: a1 as A, b1 as B'],
      ],
    ],
    [
      'without external ids every device that named it holds it, under every policy',
      { policy: 'TRANSFER' },
      [
        ['x1', '-: x1'],
        ['x2', '-: x1, x2'],
      ],
    ],
    [
      'KEEP: who held it before it had an owner keeps it; who names it later without an id does not hold it',
      { policy: 'KEEP' },
      [
        ['x1', '-: x1'],
        ['a1 as A', 'A: a1 as A, x1'],
        ['x2', 'A: a1 as A, x1'],
        ['b1 as B', 'A: a1 as A, x1'],
      ],
    ],
    [
      'SHARE: likewise, and other ids hold it',
      { policy: 'SHARE' },
      [
        ['x1', '-: x1'],
        ['a1 as A', 'A: a1 as A, x1'],
        ['x2', 'A: a1 as A, x1'],
        ['b1 as B', 'A: a1 as A, b1 as B, x1'],
      ],
    ],
    [
      'TRANSFER: who held it before it had an owner loses it',
      { policy: 'TRANSFER' },
      [
        ['x1', '-: x1'],
        ['a1 as A', 'A: a1 as A'],
      ],
    ],
    [
      'an upload without an id is the owner’s from a device that the owner has used',
      { policy: 'KEEP', elsewhere: ['a2 as A', 'b1 as B'] },
      [
        ['a1 as A', 'A: a1 as A'],
        ['a1', 'A: a1, a1 as A'],
        ['a2', 'A: a1, a1 as A, a2'],
        ['b1', 'A: a1, a1 as A, a2'],
      ],
    ],
    [
      'one phone that A and B use',
      { policy: 'KEEP' },
      [
        ['phone as A', 'A: phone as A'],
        ['phone as B', 'A: phone as A'],
      ],
    ],
    [
      'the account token proves the owner, whoever uploaded first, without case',
      { policy: 'KEEP', accountToken: token },
      [
        ['b1 as B', `${token}: `],
        ['x1', `${token}: `],
        [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}`],
        ['b1 as B', `${buyer}: a1 as ${buyer}`],
      ],
    ],
    [
      'nobody takes it from the owner that the token proves, under TRANSFER',
      { policy: 'TRANSFER', accountToken: token },
      [
        [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}`],
        ['b1 as B', `${buyer}: a1 as ${buyer}`],
      ],
    ],
    [
      'under SHARE others hold it beside the owner that the token proves',
      { policy: 'SHARE', accountToken: token },
      [
        ['b1 as B', `${token}: b1 as B`],
        [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}, b1 as B`],
      ],
    ],
    [
      'a token that is no UUID is compared with case',
      { policy: 'KEEP', accountToken: 'Ann' },
      [
        ['a1 as ann', 'Ann: '],
        ['a2 as Ann', 'Ann: a2 as Ann'],
      ],
    ],
    [
      'an upload before the purchase does not bring it',
      { policy: 'KEEP', early: 2 },
      [
        ['thief as T', '-: '],
        ['thief', '-: '],
        ['a1 as A', 'A: a1 as A'],
        ['thief as T', 'A: a1 as A'],
      ],
    ],
    [
      'what is shared in a family does not move',
      { policy: 'TRANSFER', ownership: 'FAMILY_SHARED' },
      [
        ['a1 as A', 'A: a1 as A'],
        ['b1 as B', 'A: a1 as A'],
      ],
    ],
  ])('%s', (_, terms, sequence) => {
    const steps = sequence.map(([step]) => step);
    const states = steps.map((_step, index) => stateAfter(steps.slice(0, index + 1), terms));
    expect(states).toEqual(sequence.map(([, state]) => state));
  });

  test('the owner’s device is the one that first brought the line for him', () => {
    const claims = claimsOf(['x1', 'a1 as A', 'a2 as A', 'a1 as A'], 0);
    const facts = { claims, accountToken: null, ownership: 'PURCHASED' as const, named: [] };
    for (const policy of ['KEEP', 'TRANSFER', 'SHARE'] as const) {
      expect(decideLine({ ...facts, policy }).owner).toEqual({ externalId: 'A', deviceId: 'a1' });
    }
  });

  test('a change of the policy decides over all uploads anew', () => {
    const steps = ['a1 as A', 'b1 as B'];
    expect(stateAfter(steps, { policy: 'TRANSFER' })).toBe('B: b1 as B');
    expect(stateAfter(steps, { policy: 'SHARE' })).toBe('A: a1 as A, b1 as B');
    expect(stateAfter(steps, { policy: 'KEEP' })).toBe('A: a1 as A');
  });

  test('the device that first brought a line is known without an owner, and an upload before the purchase brings nothing', () => {
    const steps = ['phone1', 'phone2', 'phone1 as A'];
    expect(firstDeviceOf(claimsOf(steps, 0))).toBe('phone1');
    expect(firstDeviceOf(claimsOf(steps, 1))).toBe('phone2');
    expect(firstDeviceOf([])).toBeNull();
  });
});

// The noun of places in line: what an upload has looked up, and where it waits (openapi.yaml, "Look-up in the store").
describe('lineUp', () => {
  const now = new Date('2026-09-10T00:00:00Z');
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const stored: Omit<NamedTransaction, 'id'> = {
    ...{ isNew: false, isNewToDevice: false, takesRoom: false, state: 'PENDING', reason: null, behind: false },
    lastLookedUpAt: null,
  };
  const placed = (fields: Partial<NamedTransaction>, { proven = true, places = 1, further = 1 } = {}) => {
    const [place] = lineUp([{ ...stored, id: 'id', ...fields }], { proven, places, further, now });
    return place ? place.behind : 'as it is';
  };
  const unproven = { proven: false };

  test.each<[string, Partial<NamedTransaction>, ...unknown[]]>([
    ['a new one', { isNew: true }, false, true],
    ['one that waits for a place', { reason: 'waiting_in_line', behind: true }, false, true],
    ['one that is queued', {}, 'as it is', 'as it is'],
    ['one that is queued behind', { behind: true }, false, 'as it is'],
    ['one that waits for credentials', { reason: 'no_credentials' }, 'as it is', 'as it is'],
    ['one that waits for credentials behind', { reason: 'no_credentials', behind: true }, false, 'as it is'],
    ['one that was looked up a minute ago', { state: 'RESOLVED', lastLookedUpAt: ago(60) }, 'as it is', 'as it is'],
    ['one that was looked up before', { state: 'RESOLVED', lastLookedUpAt: ago(61) }, false, true],
    ['one that was not found before', { state: 'NOT_FOUND', lastLookedUpAt: ago(61) }, false, true],
    ['one that failed before', { state: 'FAILED', reason: 'wrong_bundle', lastLookedUpAt: ago(61) }, false, true],
    ['one that is not known yet', { reason: 'not_known_yet', lastLookedUpAt: ago(61), behind: true }, false, true],
    ['a renewal of which the store has told', { state: 'RESOLVED' }, false, true],
    [
      'one that somebody else named a moment ago, before it was sold',
      { isNewToDevice: true, reason: 'not_known_yet', lastLookedUpAt: ago(1) },
      false,
      'as it is',
    ],
    [
      'one that another device has resolved a moment ago',
      { isNewToDevice: true, state: 'RESOLVED', lastLookedUpAt: ago(1) },
      'as it is',
      'as it is',
    ],
  ])('%s: from a proven device behind is %p, from another one %p', (_, fields, ...wanted) => {
    expect([placed(fields), placed(fields, unproven)]).toEqual(wanted);
  });

  test('what moves forward is asked for only where nobody has asked yet', () => {
    const asks = (fields: Partial<NamedTransaction>) =>
      lineUp([{ ...stored, id: 'id', behind: true, ...fields }], { proven: true, places: 1, now })[0]!.asks;
    expect([asks({}), asks({ reason: 'no_credentials' }), asks({ lastLookedUpAt: ago(1) })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('without a place', () => {
    const full = { places: 0 };
    const again = { state: 'RESOLVED', lastLookedUpAt: ago(61) };
    expect([placed({ isNew: true }, full), placed({ behind: true }, full), placed(again, full)]).toEqual([
      true,
      'as it is',
      true,
    ]);
    const noneBehind = { ...full, further: 0 };
    expect([placed({ isNew: true }, noneBehind), placed(again, noneBehind)]).toEqual([null, 'as it is']);
    const none = { ...unproven, ...full };
    const waiting = { reason: 'waiting_in_line', behind: true };
    expect([placed({ isNew: true }, none), placed(waiting, none), placed(again, none)]).toEqual([
      null,
      'as it is',
      'as it is',
    ]);
  });

  test('nobody moves back what waits in front', () => {
    const retried = { reason: 'not_known_yet', lastLookedUpAt: ago(61) };
    const none = { places: 0 };
    expect([placed(retried, none), placed(retried, { ...unproven, ...none }), placed(retried, unproven)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(placed({ ...retried, behind: true }, unproven)).toBe(true);
  });

  test('places are given in the order of the upload', () => {
    const all = ['a', 'b', 'c'].map((id) => ({ ...stored, id, isNew: true }));
    const places = (proven: boolean) => lineUp(all, { proven, places: 2, further: 1, now }).map((one) => one.behind);
    expect([places(true), places(false)]).toEqual([
      [false, false, true],
      [true, true, null],
    ]);
  });

  test('of a proven device those that wait in front already keep their room', () => {
    const all = ['a', 'b', 'c'].map((id, index) => ({ ...stored, id, isNew: index > 0, takesRoom: index === 0 }));
    expect(lineUp(all, { proven: true, places: 2, further: 1, now }).map(({ id, behind }) => [id, behind])).toEqual([
      ['b', false],
      ['c', true],
    ]);
  });
});

// The rule of which period of a line holds: replaced, taken back and future periods, in any order.
describe('periods', () => {
  const end = new Date('2026-10-10T00:00:00Z');
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const at = (millis: number) => new Date(end.getTime() + millis);

  interface Period extends PeriodDates {
    product: string;
  }

  const period = (transactionId: string, fields: Partial<Period>): Period => ({
    ...{ transactionId, product: 'monthly', purchasedAt: at(-30 * day), revokedAt: null, upgraded: false },
    ...fields,
  });
  const present = period('1', {});
  const renewal = period('2', { purchasedAt: end });
  /** Bought before the renewal begins. */
  const bought = at(-2.7 * hour);
  const yearly = period('3', { product: 'yearly', purchasedAt: bought });
  const replaced = { ...renewal, revokedAt: bought, upgraded: true };

  /** Every order of these. */
  const orders = (periods: Period[]): Period[][] =>
    periods.length < 2
      ? [periods]
      : periods.flatMap((one, index) => orders(periods.toSpliced(index, 1)).map((rest) => [one, ...rest]));

  test.each<[string, Period[], Date, string]>([
    ['the one that was bought last', [present, renewal], at(1), '2'],
    [
      'of two bought at once the one that was not taken back',
      [{ ...renewal, revokedAt: at(1) }, period('1', renewal)],
      at(2),
      '2',
    ],
    ['of two equal ones the longer id', [period('9', {}), period('10', {})], end, '10'],
    ['of two equal ones the greater id', [period('9', {}), period('8', {})], end, '9'],
    ['the present one until the next begins', [present, renewal], at(-1), '1'],
    ['the next one from its begin on', [present, renewal], end, '2'],
    ['the first to begin where none has', [renewal, period('4', { purchasedAt: at(day) })], at(-1), '2'],
    ['one that was taken back later', [present, { ...renewal, revokedAt: at(day) }], at(2 * day), '2'],
    ['not one that was taken back before it began', [present, { ...renewal, revokedAt: at(-hour) }], at(-minute), '1'],
    ['nor after it would have begun', [present, { ...renewal, revokedAt: at(-hour) }], at(day), '1'],
    ['but this one where there is no other', [{ ...renewal, revokedAt: at(-hour) }], at(day), '2'],
    ['the upgrade before the end', [present, replaced, yearly], at(-hour), '3'],
    ['the upgrade after the end', [present, replaced, yearly], at(day), '3'],
    [
      'the upgrade, where the renewal was replaced after its begin',
      [present, { ...replaced, revokedAt: at(1) }, yearly],
      at(day),
      '3',
    ],
    ['the upgrade, where the store gives no time', [present, { ...replaced, revokedAt: null }, yearly], at(day), '3'],
    ['what was replaced, as long as it was not', [present, { ...replaced, revokedAt: at(day) }], at(hour), '2'],
    [
      'a refunded upgrade, and not what it has replaced',
      [
        { ...present, upgraded: true },
        { ...yearly, revokedAt: at(0) },
      ],
      at(1),
      '3',
    ],
  ])('%s', (_, periods, instant, id) => {
    for (const order of orders(periods)) expect(holdingPeriod(order, instant)!.transactionId).toBe(id);
  });

  test('of no period none holds', () => expect(holdingPeriod([], end)).toBeNull());

  const drawn = fc.record({
    transactionId: fc.constantFrom('1', '2', '9', '10', '11', '20'),
    purchasedAt: fc.integer({ min: 0, max: 4 }),
    revokedAt: fc.option(fc.integer({ min: 0, max: 4 })),
    upgraded: fc.boolean(),
  });

  test('the order of arrival decides nothing', () => {
    const line = fc.uniqueArray(drawn, { selector: ({ transactionId }) => transactionId });
    const twice = line.chain((periods) =>
      fc.tuple(fc.constant(periods), fc.shuffledSubarray(periods, { minLength: periods.length })),
    );
    fc.assert(
      fc.property(twice, fc.integer({ min: -1, max: 5 }), ([one, other], instant) => {
        expect(holdingPeriod(other, instant)).toEqual(holdingPeriod(one, instant));
      }),
    );
  });

  test.each<[string, Period[], Date | null]>([
    ['that of the next period', [present, renewal, period('4', { purchasedAt: at(day) })], end],
    ['not of one that was taken back before it begins', [present, { ...renewal, revokedAt: at(-hour) }], null],
    ['not of one that was replaced', [present, replaced, yearly], null],
    ['none where all have begun', [present], null],
  ])('the next begin: %s', (_, periods, begin) => {
    for (const order of orders(periods)) expect(nextBegin(order, at(-hour / 2))).toEqual(begin);
  });

  test('a replaced period is not taken back', () => {
    expect([takenBackAt(replaced), takenBackAt({ ...replaced, upgraded: false })]).toEqual([null, bought]);
  });
});

// A price as decimal text: in units of its currency, with the digits of ISO 4217 or more.
describe('priceText', () => {
  test.each([
    [9_990, 'EUR', '9.99'],
    [0, 'EUR', '0.00'],
    [5_000, 'USD', '5.00'],
    [12_345, 'EUR', '12.345'],
    [1_500_000, 'JPY', '1500'],
    [1_500, 'JPY', '1.5'],
    [1_500, 'KWD', '1.500'],
    [9_990, null, '9.99'],
    [9_990, 'no currency', '9.99'],
    [null, 'EUR', null],
  ])('%p thousandths of %p are %p', (milli, currency, text) => expect(priceText(milli, currency)).toBe(text));
});

// The fields of the store's signed data in this service's terms: each value that the store documents, and those it does not.
describe('signedFields', () => {
  const signed: TransactionFields = {
    ...{ transactionId: '2', originalTransactionId: '1', productId: 'pro', type: 'Auto-Renewable Subscription' },
    ...{ purchaseDate: 1_789_000_000_000, signedDate: 1_789_000_001_000 },
  };
  const read = (fields: TransactionFields) => transactionOf({ ...signed, ...fields });

  test('what the store leaves out is null, one, the plain price and the own purchase', () => {
    expect(read({})).toEqual({
      ...{ transactionId: '2', originalTransactionId: '1', productId: 'pro', kind: 'AUTO_RENEWABLE' },
      ...{ purchasedAt: new Date(1_789_000_000_000), signedAt: new Date(1_789_000_001_000), expiresAt: null },
      ...{ revokedAt: null, revocationReason: null, revocationType: null, revocationPercent: null },
      ...{ priceMilli: null, currency: null, quantity: 1, ownership: 'PURCHASED' },
      ...{ offer: 'NONE', offerMode: null, storefront: null, accountToken: null, upgraded: false },
    });
  });

  test.each([
    ['type', 'Consumable', { kind: 'CONSUMABLE' }],
    ['type', 'Non-Consumable', { kind: 'NON_CONSUMABLE' }],
    ['type', 'Non-Renewing Subscription', { kind: 'NON_RENEWING' }],
    ['offerType', 1, { offer: 'INTRODUCTORY' }],
    ['offerType', 2, { offer: 'PROMOTIONAL' }],
    ['offerType', 3, { offer: 'CODE' }],
    ['offerType', 4, { offer: 'WIN_BACK' }],
    ['offerType', 5, { offer: 'NONE' }],
    ['offerDiscountType', 'FREE_TRIAL', { offerMode: 'FREE_TRIAL' }],
    ['offerDiscountType', 'PAY_AS_YOU_GO', { offerMode: 'PAY_AS_YOU_GO' }],
    ['offerDiscountType', 'PAY_UP_FRONT', { offerMode: 'PAY_UP_FRONT' }],
    ['offerDiscountType', 'ONE_TIME', { offerMode: 'ONE_TIME' }],
    ['offerDiscountType', 'LATER', { offerMode: null }],
    ['revocationReason', 0, { revocationReason: 'OTHER' }],
    ['revocationReason', 1, { revocationReason: 'APP_ISSUE' }],
    ['revocationReason', 2, { revocationReason: null }],
    ['revocationType', 'REFUND_FULL', { revocationType: 'REFUND_FULL' }],
    ['revocationType', 'REFUND_PRORATED', { revocationType: 'REFUND_PRORATED' }],
    ['revocationType', 'FAMILY_REVOKE', { revocationType: 'FAMILY_REVOKE' }],
    ['revocationType', 'LATER', { revocationType: null }],
    ['revocationPercentage', 33_333, { revocationPercent: 33.333 }],
    ['inAppOwnershipType', 'FAMILY_SHARED', { ownership: 'FAMILY_SHARED' }],
    ['inAppOwnershipType', 'PURCHASED', { ownership: 'PURCHASED' }],
    ['quantity', 5, { quantity: 5 }],
    ['price', 9_990, { priceMilli: 9_990 }],
    ['price', 0.5, { priceMilli: null }],
    ['price', -1, { priceMilli: null }],
    ['currency', 'EUR', { currency: 'EUR' }],
    ['currency', 'E'.repeat(100_000), { currency: null }],
    ['appAccountToken', 'a'.repeat(257), { accountToken: null }],
  ])('%s %p', (name, value, shown) => expect(read({ [name]: value })).toMatchObject(shown));

  test.each(['transactionId', 'originalTransactionId', 'productId', 'purchaseDate', 'signedDate'])(
    'without %s it is incomplete',
    (name) => expect(read({ [name]: undefined })).toBe('incomplete_transaction'),
  );

  test('a type of a later year is an unknown kind', () => expect(read({ type: 'Rental' })).toBe('unknown_kind'));

  test('a renewal of another line is none, and without a date it counts as signed with its transaction', () => {
    const signedBeside = new Date(signed.signedDate!);
    expect(renewalOf({ originalTransactionId: '9', autoRenewStatus: 1 }, '1', signedBeside)).toBeNull();
    expect(renewalOf({ autoRenewStatus: 0, isInBillingRetryPeriod: true }, '1', signedBeside)).toEqual({
      lineId: '1',
      autoRenew: false,
      inBillingRetry: true,
      expired: false,
      graceExpiresAt: null,
      signedAt: signedBeside,
    });
  });

  // Values that nobody expects: what the service cannot store counts as absent.

  test.each(['constructor', '__proto__', 'toString', ''])('the kind %j is unknown', (type) => {
    expect(read({ type })).toBe('unknown_kind');
  });

  const unstorable = ['a\0b', 'a\ud800b', ''];
  test.each(unstorable)('without the text %j a transaction is incomplete', (text) => {
    for (const name of ['transactionId', 'originalTransactionId', 'productId']) {
      expect(read({ [name]: text })).toBe('incomplete_transaction');
    }
  });

  test.each(unstorable)('the currency, account token and storefront %j are absent', (text) => {
    const absent = { currency: null, accountToken: null, storefront: null };
    expect(read({ currency: text, appAccountToken: text, storefront: text })).toMatchObject(absent);
  });

  test.each<[string, string | null]>([
    ['DEU', 'DE'],
    ['XKS', 'XK'],
    ['XXX', null],
    ['deu', null],
    ['__proto__', null],
    ['constructor', null],
  ])('the storefront %s is %s', (storefront, country) => {
    expect(read({ storefront })).toMatchObject({ storefront: country });
  });

  test.each([0, -1, 1.5, 2 ** 31])('a quantity of %d counts as one', (quantity) => {
    expect(read({ quantity })).toMatchObject({ quantity: 1 });
  });
});

// The cursor of a list of purchases: it names a place to the microsecond, and nothing else is taken for one.
describe('pageCursor', () => {
  const one = { list: 'entitlements', instants: 1 } as const;
  const two = { list: 'storeTransactions', instants: 2 } as const;

  function read(of: typeof one | typeof two, after: string) {
    const rules = inputRules();
    const place = readCursor(rules, of, after);
    if (place) rules.assert();
    else expect(() => rules.assert()).toThrow();
    return place;
  }

  test.each([
    ['0 id', ['1970-01-01T00:00:00.000000Z'], 'id'],
    ['7 id', ['1970-01-01T00:00:00.000007Z'], 'id'],
    ['1789000000123456 id', ['2026-09-10T00:26:40.123456Z'], 'id'],
    ['253402300799999999 id', ['9999-12-31T23:59:59.999999Z'], 'id'],
    ['0  id with spaces ', ['1970-01-01T00:00:00.000000Z'], ' id with spaces '],
    ['0 é𝒳', ['1970-01-01T00:00:00.000000Z'], 'é𝒳'],
  ])('the position %j comes back', (position, instants, id) => {
    expect(read(one, writeCursor(one, position))).toEqual({ instants, id });
  });

  test('a transaction without a date comes back', () => {
    const instants = ['infinity', '1970-01-01T00:00:00.000001Z'];
    expect(read(two, writeCursor(two, 'infinity 1 t'))).toEqual({ instants, id: 't' });
  });

  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  test.each([
    ['', 'of no text'],
    ['=', 'of no base64url'],
    [`${writeCursor(one, '0 id')}=`, 'with padding'],
    [`${writeCursor(one, '0 id')}\n`, 'with a line break'],
    [encoded('t 0 id'), 'of another list'],
    [encoded('e 0 '), 'without an id'],
    [encoded('e 0'), 'without an id'],
    [encoded('e -1 id'), 'before 1970'],
    [encoded('e 007 id'), 'with another spelling of a number'],
    [encoded('e 1e3 id'), 'with another spelling of a number'],
    [encoded('e 253402300800000000 id'), 'after the year 9999'],
    [encoded('e NaN id'), 'without a number'],
    [encoded('e 0 \0'), 'that PostgreSQL cannot store'],
    [Buffer.from([0x65, 0x20, 0x30, 0x20, 0xff]).toString('base64url'), 'that is no UTF-8'],
    [encoded(`e 0 ${'x'.repeat(2_000)}`), 'that is too long'],
  ])('%j is refused, a cursor %s', (after) => expect(read(one, after)).toBeNull());

  test('an absent cursor is the first page', () => {
    expect([null, undefined].map((after) => readCursor(inputRules(), one, after))).toEqual([null, null]);
  });

  test('a page has the cursor of its last row, and says whether there is one more', () => {
    const rows = ['0 a', '1 b', '2 c'].map((position) => ({ position }));
    const { nodes, endCursor, hasMore } = pageOf(one, rows, 2);
    expect([nodes, endCursor, hasMore]).toEqual([rows.slice(0, 2), writeCursor(one, '1 b'), true]);
    expect(pageOf(one, rows, 3).hasMore).toBe(false);
    expect(pageOf(one, [], 3)).toEqual({ nodes: [], endCursor: null, hasMore: false });
  });
});
