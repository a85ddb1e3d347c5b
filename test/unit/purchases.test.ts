// The nouns of purchases: verdicts, retry times, decisions, entitlements and credentials.
import { generateKeyPairSync } from 'node:crypto';
import { isAppError } from '../../src/platform/errors.ts';
import { isActive, entitlementOf } from '../../src/purchases/entitlement.ts';
import { retryDelay } from '../../src/platform/retryDelay.ts';
import { defaultBackoff, parseRetryAfter } from '../../src/purchases/retryTimes.ts';
import type { SignedTransaction, StoreFailure } from '../../src/purchases/storeClient.ts';
import { readStoreCredentials, type StoreCredentialsInput } from '../../src/purchases/storeCredentials.ts';
import { storeVerdict } from '../../src/purchases/storeVerdict.ts';
import { decide } from '../../src/purchases/transactionDecision.ts';

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

  test('keeps asking after our own delay, and not before the time that the store names', () => {
    const busy = { verdict: 'retry', reason: 'store_busy', cause: 'status 429' } as const;
    const asked = (retryAt: Date | null, attempt = 1) => decide({ ...busy, retryAt }, { ...circumstances, attempt });
    expect(asked(null)).toEqual({ state: 'PENDING', reason: 'store_busy', askAgainAt: later(5_000) });
    expect(asked(later(60_000))).toMatchObject({ askAgainAt: later(60_000) });
    expect(asked(later(1_000))).toMatchObject({ askAgainAt: later(5_000) });
    expect(asked(null, 30)).toEqual({ state: 'FAILED', reason: 'retries_exhausted' });
  });

  test('uses its attempts up in days, also where the store asks to come back in a second each time', () => {
    let present = now;
    const ask = (attempt: number) => {
      const retryAt = parseRetryAfter('1', present);
      const busy = { verdict: 'retry', reason: 'store_busy', cause: 'status 429', retryAt } as const;
      return decide(busy, { attempt, now: present, random: 0.5 });
    };
    let [attempt, decision] = [1, ask(1)];
    while (decision.state === 'PENDING') {
      present = decision.askAgainAt!;
      decision = ask(++attempt);
    }
    expect([attempt, decision]).toEqual([30, { state: 'FAILED', reason: 'retries_exhausted' }]);
    const days = (present.getTime() - now.getTime()) / 86_400_000;
    expect([days > 4, days < 6]).toEqual([true, true]);
  });

  test('parks what waits for credentials, and ends what is final', () => {
    const parked = { state: 'PENDING', reason: 'credentials_refused', askAgainAt: null };
    expect(decide({ verdict: 'credentials_refused' }, circumstances)).toEqual(parked);
    expect(decide({ verdict: 'not_found' }, circumstances)).toEqual({ state: 'NOT_FOUND' });
    expect(decide({ verdict: 'failed', reason: 'wrong_bundle' }, circumstances)).toMatchObject({ state: 'FAILED' });
  });
});

describe('entitlements', () => {
  const transaction: SignedTransaction = {
    ...{ transactionId: '2', originalTransactionId: '1', productId: 'gold', kind: 'AUTO_RENEWABLE' },
    ...{ purchasedAt: now, expiresAt: later(1_000), revokedAt: null, signedAt: now },
  };

  test('are named by the line of a subscription and by the transaction otherwise', () => {
    const of = (kind: SignedTransaction['kind']) =>
      entitlementOf({ environment: 'PRODUCTION', transaction: { ...transaction, kind }, subscription: null }).lineId;
    expect([of('AUTO_RENEWABLE'), of('NON_RENEWING'), of('NON_CONSUMABLE'), of('CONSUMABLE')]).toEqual([
      '1',
      '2',
      '2',
      '2',
    ]);
  });

  test('show the later of the transaction and the latest period of the status, of one period what the status says', () => {
    const status = (purchasedAt: Date) => ({
      latest: { ...transaction, purchasedAt, signedAt: later(9) },
      autoRenew: true,
      graceExpiresAt: null,
    });
    const of = (purchasedAt: Date) =>
      entitlementOf({ environment: 'SANDBOX', transaction, subscription: status(purchasedAt) });
    expect(of(later(5))).toMatchObject({ purchasedAt: later(5), autoRenew: true, environment: 'SANDBOX' });
    expect(of(later(-5))).toMatchObject({ purchasedAt: now, signedAt: now });
    expect(of(now)).toMatchObject({ purchasedAt: now, signedAt: later(9) });
  });

  test.each<[string, Parameters<typeof isActive>[0], boolean]>([
    ['endless', { expiresAt: null, graceExpiresAt: null, revokedAt: null }, true],
    ['revoked', { expiresAt: null, graceExpiresAt: null, revokedAt: later(-1) }, false],
    ['within its period', { expiresAt: later(1), graceExpiresAt: null, revokedAt: null }, true],
    ['at its end', { expiresAt: now, graceExpiresAt: null, revokedAt: null }, false],
    ['in grace', { expiresAt: later(-1), graceExpiresAt: later(1), revokedAt: null }, true],
    ['after grace', { expiresAt: later(-2), graceExpiresAt: now, revokedAt: null }, false],
    ['revoked in grace', { expiresAt: later(-1), graceExpiresAt: later(1), revokedAt: now }, false],
  ])('%s: active is %p', (_, entitlement, active) => {
    expect(isActive(entitlement, now)).toBe(active);
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
