// The nouns of purchases: verdicts, retry times, decisions and credentials.
import { generateKeyPairSync } from 'node:crypto';
import { isAppError } from '../../src/platform/errors.ts';
import { retryDelay } from '../../src/platform/retryDelay.ts';
import { defaultBackoff, parseRetryAfter } from '../../src/purchases/retryTimes.ts';
import type { StoreFailure } from '../../src/purchases/storeClient.ts';
import { readStoreCredentials, type StoreCredentialsInput } from '../../src/purchases/storeCredentials.ts';
import { storeVerdict } from '../../src/purchases/storeVerdict.ts';
import type { Finding } from '../../src/purchases/lookUpTransaction.ts';
import { decide, type Decision } from '../../src/purchases/transactionDecision.ts';

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
