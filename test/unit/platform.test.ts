// AppError, the one error that features throw.
import { randomBytes, randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import {
  batchLists,
  batchRows,
  createResponseBudget,
  mostBytes,
  type Room,
  withinBudget,
} from '../../src/platform/responseBudget.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { AppError, isAppError } from '../../src/platform/errors.ts';
import { instantIn, parseIsoDateTime, utcOffsetMinutes } from '../../src/platform/inputRules.ts';
import { signatureOf, type Verification, verifySignature } from '../../src/platform/signature.ts';
import { removeFromArray } from '../../src/platform/httpServer/httpServer.ts';
import {
  createLimiter,
  currentLane,
  inLane,
  type LimiterBounds,
  FairQueue,
} from '../../src/platform/concurrencyLimiter.ts';
import { withTimeout } from '../../src/platform/outboundCalls.ts';
import { timestampText } from '../../src/sessions/upload.ts';
import { ids, nextTurn, settled } from '../support/memoryStore.ts';
import { passMillis, stopClock, waitingTimers } from '../support/stoppedClock.ts';

describe('errors', () => {
  test('carries its code, its details and its cause', () => {
    const cause = new Error('the reason');
    const error = new AppError('too_large', { unit: 'bytes', limit: 5 }, { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'AppError', code: 'too_large', details: { unit: 'bytes', limit: 5 }, cause });
  });

  test('does not put its details into its message, which is logged', () => {
    const fields = [{ path: 'user.id', message: 'must be a string' }];
    expect(new AppError('validation_failed', { fields }).message).toBe('validation_failed');
  });

  test('is told by its code, and other errors are none', () => {
    const error = new AppError('not_found', undefined);
    expect(isAppError(error, 'not_found')).toBe(true);
    expect(isAppError(error, 'unavailable')).toBe(false);
    expect(isAppError(Object.assign(new Error('x'), { code: 'not_found' }), 'not_found')).toBe(false);
    expect(isAppError(undefined, 'not_found')).toBe(false);
  });
});

// The signature of an upload: the contract's test vector, each refusal, and the order of the checks.
describe('signature', () => {
  // The values of openapi.yaml, "Signature of a session request".
  const key = { public: 'pk_test_7c2a', secret: 'sk_test_4f1b6a0c9d2e' };
  const body = Buffer.from('{"user":{},"device":{},"sessions":[]}');
  const headers = {
    'x-timestamp': '1789000000',
    'x-nonce': 'AAECAwQFBgcICQoLDA0ODw',
    'x-signature': 'v1=ee3c096b8c6b8904c4eff7e5fed7afd0552a5707210a0e6fae958dbf03e55ca3',
  };
  const bodyHash = 'e601de2c9bc57b4ad25ed79eaf7422b39574d1b26b3ed6bef547ef0fc7776dd4';
  const vector: Verification = { headers, body, key, required: true, now: new Date(1_789_000_000_000) };

  function refusalOf(change: Partial<Verification>): unknown {
    try {
      verifySignature({ ...vector, ...change });
    } catch (error) {
      return error instanceof AppError ? error.details : error;
    }
    return 'accepted';
  }

  test("the contract's vector is computed", () => {
    const parts = { publicKey: key.public, timestamp: '1789000000', nonce: 'AAECAwQFBgcICQoLDA0ODw', body };
    expect(signatureOf(key.secret, parts)).toBe(headers['x-signature']);
  });

  test("the contract's vector is verified, and its parts are handed on", () => {
    expect(verifySignature(vector)).toEqual({
      nonce: 'AAECAwQFBgcICQoLDA0ODw',
      timestamp: 1_789_000_000,
      bodyHash: Buffer.from(bodyHash, 'hex'),
    });
  });

  test('each signed part changes the signature', () => {
    const parts = { publicKey: 'p', timestamp: '1789000000', nonce: 'n', body };
    const changed = [
      signatureOf('s', parts),
      signatureOf('t', parts),
      signatureOf('s', { ...parts, publicKey: 'q' }),
      signatureOf('s', { ...parts, timestamp: '1789000001' }),
      signatureOf('s', { ...parts, nonce: 'm' }),
      signatureOf('s', { ...parts, body: Buffer.from('{}') }),
    ];
    expect(new Set(changed).size).toBe(6);
  });

  describe('without headers', () => {
    test('an upload is accepted unsigned where signing is optional', () => {
      expect(verifySignature({ ...vector, headers: {}, required: false })).toBeNull();
    });
    test('it is refused where signing is required', () => {
      expect(refusalOf({ headers: {} })).toEqual({ reason: 'signature_missing', serverTime: 1_789_000_000 });
    });
    test.each(['x-timestamp', 'x-nonce', 'x-signature'] as const)(
      'one missing, %s, is refused in both modes',
      (name) => {
        const partial = { ...headers, [name]: undefined };
        for (const required of [true, false]) {
          expect(refusalOf({ headers: partial, required })).toMatchObject({ reason: 'signature_missing' });
        }
      },
    );
  });

  test.each([
    ['x-timestamp', '178900000'],
    ['x-timestamp', '17890000000'],
    ['x-timestamp', '1789000000 '],
    ['x-timestamp', '+178900000'],
    ['x-timestamp', '1789000000\n'],
    ['x-timestamp', ''],
    ['x-nonce', 'A'.repeat(21)],
    ['x-nonce', 'A'.repeat(65)],
    ['x-nonce', `${'A'.repeat(22)}=`],
    ['x-nonce', `${'A'.repeat(22)}\n`],
    ['x-nonce', `${'A'.repeat(22)},${'A'.repeat(22)}`],
    ['x-signature', headers['x-signature'].toUpperCase()],
    ['x-signature', headers['x-signature'].slice(3)],
    ['x-signature', headers['x-signature'].replace('v1', 'v2')],
    ['x-signature', `${headers['x-signature']}0`],
    ['x-signature', `${headers['x-signature']}, ${headers['x-signature']}`],
  ])('%s %j is malformed', (name, value) => {
    expect(refusalOf({ headers: { ...headers, [name]: value } })).toMatchObject({ reason: 'signature_malformed' });
  });

  test('a header that is there twice is malformed', () => {
    const twice = { ...headers, 'x-nonce': [headers['x-nonce'], headers['x-nonce']] as unknown as string };
    expect(refusalOf({ headers: twice })).toMatchObject({ reason: 'signature_malformed' });
  });

  test('the shortest and the longest nonce have the form', () => {
    for (const length of [22, 64]) {
      const nonce = '-_'.repeat(32).slice(0, length);
      const signature = signatureOf(key.secret, { publicKey: key.public, timestamp: '1789000000', nonce, body });
      const signed = { ...headers, 'x-nonce': nonce, 'x-signature': signature };
      expect(verifySignature({ ...vector, headers: signed })).toMatchObject({ nonce });
    }
  });

  test.each<[string, Partial<Verification>]>([
    ['another body', { body: Buffer.from('{}') }],
    ['one byte more', { body: Buffer.concat([body, Buffer.from('\n')]) }],
    ['another secret', { key: { ...key, secret: 'sk_test_4f1b6a0c9d2f' } }],
    ['another public key', { key: { ...key, public: 'pk_test_7c2b' } }],
    ['another timestamp', { headers: { ...headers, 'x-timestamp': '1789000001' } }],
    ['another nonce', { headers: { ...headers, 'x-nonce': randomBytes(16).toString('base64url') } }],
    ['a signature of zeros', { headers: { ...headers, 'x-signature': `v1=${'0'.repeat(64)}` } }],
  ])('%s is a mismatch', (_, change) => {
    expect(refusalOf(change)).toEqual({ reason: 'signature_mismatch', serverTime: 1_789_000_000 });
  });

  describe('the clock', () => {
    const at = (seconds: number) => new Date(seconds * 1_000);

    test.each([-300, -299.001, 0, 301, 86_400, 86_400.999])('of the service may be %p seconds ahead', (offset) => {
      expect(verifySignature({ ...vector, now: at(1_789_000_000 + offset) })).not.toBeNull();
    });
    test.each([-300.001, 86_401, 100_000, -1_789_000_000])('of the service may not be %p seconds ahead', (offset) => {
      const serverTime = Math.floor(1_789_000_000 + offset);
      expect(refusalOf({ now: at(1_789_000_000 + offset) })).toEqual({ reason: 'timestamp_out_of_window', serverTime });
    });
    test('is judged after the signature, so that nobody without the secret learns of it', () => {
      const forged = { ...headers, 'x-signature': `v1=${'0'.repeat(64)}` };
      expect(refusalOf({ headers: forged, now: at(0) })).toMatchObject({ reason: 'signature_mismatch' });
    });
  });
});

// Stored secrets can be read only with their key and only in their own row.
describe('encryption', () => {
  const encryption = createEncryption(randomBytes(32));
  const row = randomUUID();

  test.each(['sec_0123456789abcdefghijklmnopqrstuv', '', 'é 🚀\0', 'x'.repeat(100_000)])(
    'a value comes back',
    (text) => {
      expect(encryption.decrypt(encryption.encrypt(text, row), row)).toBe(text);
    },
  );

  test('a value moved to another row cannot be read', () => {
    const sealed = encryption.encrypt('secret', row);
    expect(() => encryption.decrypt(sealed, randomUUID())).toThrow();
    expect(() => encryption.decrypt(sealed, row.toUpperCase())).toThrow();
    expect(() => encryption.decrypt(sealed, '')).toThrow();
  });

  test('a value cannot be read under another key', () => {
    expect(() => createEncryption(randomBytes(32)).decrypt(encryption.encrypt('secret', row), row)).toThrow();
  });

  test('a value changed in any byte, or cut anywhere, cannot be read', () => {
    const sealed = encryption.encrypt('secret', row);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed);
      changed[i]! ^= 1;
      expect(() => encryption.decrypt(changed, row)).toThrow();
      expect(() => encryption.decrypt(sealed.subarray(0, i), row)).toThrow();
    }
  });

  test('a value is never in clear, and the same value looks different each time', () => {
    const sealed = [encryption.encrypt('secret', row), encryption.encrypt('secret', row)].map((bytes) =>
      Buffer.from(bytes),
    );
    expect(sealed[0]!.equals(sealed[1]!)).toBe(false);
    expect(sealed[0]!.includes('secret')).toBe(false);
  });

  test('a value sealed by the first release is readable for ever', () => {
    // Made by hand with node:crypto: version 1, IV, tag, ciphertext.
    const sealed = Buffer.from(
      '01' +
        '00112233445566778899aabb' +
        '4efd4557f5ebc723c1e25e08d6cc554a' +
        'dee8a4c01331a48ec4eddedc9f5d83e207a53113f6f3acd8',
      'hex',
    );
    const fixed = createEncryption(Buffer.alloc(32, 7));
    expect(fixed.decrypt(sealed, '00000000-0000-7000-8000-000000000001')).toBe('sec_of_the_first_release');
  });

  test('an unknown version is told apart from a wrong key', () => {
    const sealed = encryption.encrypt('secret', row);
    sealed[0] = 9;
    expect(() => encryption.decrypt(sealed, row)).toThrow(/version 9/);
  });

  describe('with several keys', () => {
    const [old, next] = [randomBytes(32), randomBytes(32)];
    const sealedUnderOld = createEncryption(old).encrypt('secret', row);

    test('the first seals, and every one opens what names it', () => {
      const both = createEncryption(next, old);
      expect(both.decrypt(sealedUnderOld, row)).toBe('secret');
      const sealed = both.encrypt('newer', row);
      expect(Buffer.from(sealed).subarray(0, 9).equals(both.currentPrefix)).toBe(true);
      expect(createEncryption(next).decrypt(sealed, row)).toBe('newer');
      expect(() => createEncryption(old).decrypt(sealed, row)).toThrow(/not in ENCRYPTION_KEY/);
    });

    test('a value without a key id is opened by whichever key fits', () => {
      const first = createEncryption(randomBytes(32), Buffer.alloc(32, 7));
      const sealed = Buffer.from(
        '0100112233445566778899aabb4efd4557f5ebc723c1e25e08d6cc554adee8a4c01331a48ec4eddedc9f5d83e207a53113f6f3acd8',
        'hex',
      );
      expect(first.decrypt(sealed, '00000000-0000-7000-8000-000000000001')).toBe('sec_of_the_first_release');
      expect(() => first.decrypt(sealed, row)).toThrow();
    });

    test('a value that is given the name of another key cannot be read', () => {
      const both = createEncryption(next, old);
      const renamed = Uint8Array.from(Buffer.concat([both.currentPrefix, sealedUnderOld.subarray(9)]));
      expect(() => both.decrypt(renamed, row)).toThrow();
    });

    test('the name of a key does not tell the key', () => {
      expect(sealedUnderOld.subarray(1, 9)).not.toEqual(Uint8Array.from(old.subarray(0, 8)));
      expect(createEncryption(old).currentPrefix.equals(createEncryption(next).currentPrefix)).toBe(false);
    });
  });
});

// ISO 8601 instants: which texts are valid, and which instant they mean.
describe('isoDateTime', () => {
  // Unix seconds by `date -u -d '2026-09-10T00:26:40Z' +%s`, and by the proleptic calendar for the far ends.
  test.each([
    ['2026-09-10T00:26:40Z', 1_789_000_000],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59Z', -1],
    ['0001-01-01T00:00:00Z', -62_135_596_800],
    ['9999-12-31T23:59:59Z', 253_402_300_799],
    ['2024-02-29T12:00:00Z', 1_709_208_000],
    ['2000-02-29T00:00:00Z', 951_782_400],
    ['0099-12-31T00:00:00Z', -59_011_545_600],
  ])('%s is %d', (text, seconds) => {
    expect(parseIsoDateTime(text)).toBe(seconds);
  });

  test.each([
    ['2026-09-10T02:26:40+02:00', 0],
    ['2026-09-10T02:26:40+0200', 0],
    ['2026-09-10T02:26:40+02', 0],
    ['2026-09-09T19:26:40-05:00', 0],
    ['2026-09-10T05:56:40+0530', 0],
    ['2026-09-09T20:56:40-03:30', 0],
    ['2026-09-11T00:25:40+23:59', 0],
    ['2026-09-09T00:27:40-2359', 0],
    ['2026-09-10T00:26:40-00:00', 0],
  ])('%s is the same instant as 1789000000', (text) => {
    expect(parseIsoDateTime(text)).toBe(1_789_000_000);
  });

  test.each([
    '2026-09-10T00:26Z',
    '2026-09-10T02:26+02:00',
    '2026-09-10T02:26+0200',
    '2026-09-10T02:26+02',
    '2026-09-09T19:26-05:00',
    '2026-09-11T00:25+23:59',
    '2026-09-09T00:27-2359',
  ])('%s is the full minute 1788999960', (text) => {
    expect(parseIsoDateTime(text)).toBe(1_788_999_960);
  });

  test.each([
    ['2026-09-10T00:26:40.5Z', 0.5],
    ['2026-09-10T02:26:40,5+02:00', 0.5],
    ['2026-09-10T00:26:40.250+00:00', 0.25],
    ['2026-09-10T00:26:40.000001Z', 0.000001],
    ['2026-09-10T00:26:40.999999Z', 0.999999],
    [`2026-09-10T00:26:40.${'1'.repeat(200)}Z`, 0.111111],
    ['2026-09-10T00:26:40.0Z', 0],
  ])('the fraction of %s is kept to the microsecond', (text, fraction) => {
    expect(parseIsoDateTime(text)! - 1_789_000_000).toBeCloseTo(fraction, 6);
  });

  test.each([
    '',
    '2026-09-10',
    '2026-09-10T00:26',
    '2026-09-10T00:26.5Z',
    '2026-09-10T00:26,5Z',
    '2026-09-10T00:26:Z',
    '2026-09-10T00:26:4Z',
    '2026-09-10T00:60Z',
    '2026-09-10T24:00Z',
    '2026-09-10T00:26+24',
    '2026-09-10T00Z',
    '2026-09-10T00:26:40',
    '2026-09-10 00:26:40Z',
    '2026-09-10t00:26:40z',
    '2026-9-10T00:26:40Z',
    '20260910T002640Z',
    '2026-09-10T00:26:40.Z',
    '2026-09-10T00:26:40.5',
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '+2026-09-10T00:26:40Z',
    '-2026-09-10T00:26:40Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-09-00T00:00:00Z',
    '2026-09-31T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-09-10T24:00:00Z',
    '2026-09-10T00:60:00Z',
    '2026-09-10T00:00:60Z',
    '2026-09-10T00:00:00+24:00',
    '2026-09-10T00:00:00+01:60',
    '2026-09-10T00:00:00+1',
    '2026-09-10T00:00:00+1:00',
    '2026-09-10T00:00:00+01:',
    '2026-09-10T00:00:00+010',
    '2026-09-10T00:00:00 +01:00',
    '2026-09-10T00:00:00ZZ',
    ' 2026-09-10T00:00:00Z',
    '2026-09-10T00:00:00Z\n',
    '２０２６-09-10T00:00:00Z',
    '2026-W37-4T00:00:00Z',
    'now',
  ])('%j is none', (text) => {
    expect(parseIsoDateTime(text)).toBeNull();
  });

  test('only what stands between two places is read', () => {
    const written = '2026-09-10T00:26:40Z';
    const bytes = Buffer.from(`12${written}345`);
    const ends = [written.length - 1, written.length, written.length + 1];
    expect(ends.map((length) => instantIn(bytes, 2, 2 + length))).toEqual([null, 1_789_000_000, null]);
    // The seconds stand beyond the end of the range.
    const minute = Buffer.from('2026-09-10T00:26:40Z2026-09-10T00:26Z');
    expect([16, 17, 18, 19].map((length) => instantIn(minute, 0, length))).toEqual([null, null, null, null]);
    expect([36, 37].map((end) => instantIn(minute, 20, end))).toEqual([null, 1_788_999_960]);
    // The fraction continues beyond the end of the range; the zone begins there.
    const [fraction, zone] = [Buffer.from('2026-09-10T00:26:40.25Z'), Buffer.from('2026-09-10T00:26:40.2+01:00')];
    expect([instantIn(fraction, 0, 21), instantIn(zone, 0, 21)]).toEqual([null, null]);
    expect([instantIn(zone, 0, 24), instantIn(zone, 0, 27)]).toEqual([1_788_996_400.2, 1_788_996_400.2]);
  });

  test('nines without end do not reach the next second', () => {
    for (const digits of [7, 8, 200])
      expect(timestampText(parseIsoDateTime(`2026-09-10T00:26:40.${'9'.repeat(digits)}Z`)!)).toBe(
        '2026-09-10T00:26:40.999999Z',
      );
  });

  describe('what is stored of a microsecond', () => {
    const fractions = Array.from({ length: 2_000 }, (_, index) =>
      String((index * 499_979) % 1_000_000).padStart(6, '0'),
    );

    test.each(['1698-01-01T00:00:00', '1969-12-31T23:59:59', '2026-09-10T00:26:40', '2241-12-31T23:59:59'])(
      'is that microsecond in %s',
      (begin) => {
        for (const digits of fractions) {
          const stored = timestampText(parseIsoDateTime(`${begin}.${digits}Z`)!);
          expect(stored).toBe(digits === '000000' ? `${begin}Z` : `${begin}.${digits}Z`);
        }
      },
    );

    test.each(['0001-01-01T00:00:00', '1500-01-01T00:00:00', '2300-01-01T00:00:00', '9999-12-31T23:59:58'])(
      'is at most 16 away in %s',
      (begin) => {
        const away = fractions.map((digits) => {
          const [, stored = '0'] = /\.(\d+)Z$/.exec(timestampText(parseIsoDateTime(`${begin}.${digits}Z`)!)) ?? [];
          const apart = Math.abs(Number(stored) - Number(digits));
          return Math.min(apart, 1_000_000 - apart);
        });
        expect(Math.max(...away)).toBeGreaterThan(0);
        expect(Math.max(...away)).toBeLessThanOrEqual(16);
      },
    );
  });
});

// The offset from UTC at the end of a date-time, in minutes.
describe('utcOffset', () => {
  test.each([
    ['2026-09-10T02:26:40Z', 0],
    ['2026-09-10T02:26Z', 0],
    ['2026-09-10T02:26:40+02:00', 120],
    ['2026-09-10T02:26:40.123+0530', 330],
    ['2026-09-10T02:26:40,5-03', -180],
    ['2026-09-10T02:26-00:00', 0],
    ['2026-09-10T02:26:40-23:59', -1_439],
  ])('%s', (text, minutes) => {
    expect(utcOffsetMinutes(text)).toBe(minutes);
  });
});

// The budget of one response: rows and bytes are charged before the next read begins.
describe('responseBudget', () => {
  const refused = { code: 'validation_failed' };
  const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => row);

  test('one row too many is refused, not left out', async () => {
    const table = rowsOf(20_001);
    const fetch = ({ limit }: Room) => Promise.resolve(table.slice(0, limit));
    await expect(withinBudget(createResponseBudget(), fetch)).rejects.toMatchObject(refused);
    table.pop();
    expect(await withinBudget(createResponseBudget(), fetch)).toHaveLength(20_000);
  });

  test('the texts of rows are counted in bytes, however many rows they are', async () => {
    const text = 'é'.repeat(mostBytes / 4);
    const budget = createResponseBudget();
    await withinBudget(budget, () => Promise.resolve([{ text }]));
    await expect(withinBudget(budget, () => Promise.resolve([{ text }]))).rejects.toMatchObject({
      ...refused,
      details: { fields: [{ path: '', message: expect.stringContaining('16777216 bytes') as string }] },
    });
  });

  test('a response may hold 16 MiB to the byte', async () => {
    const budget = createResponseBudget();
    const read = (bytes: number) => withinBudget(budget, () => Promise.resolve([bytes]), Number);
    expect([await read(mostBytes), await read(0)]).toEqual([[mostBytes], [0]]);
    await expect(read(1)).rejects.toMatchObject(refused);
  });

  test('a read is told how many bytes are left, and says itself what it has left out', async () => {
    const budget = createResponseBudget();
    const rooms: Room[] = [];
    const fetch = (room: Room) => {
      rooms.push(room);
      return Promise.resolve([{ bytes: mostBytes - 10 }]);
    };
    const read = () => withinBudget(budget, fetch, ({ bytes }) => bytes);
    await read();
    await expect(read()).rejects.toMatchObject(refused);
    expect(rooms).toEqual([
      { limit: 20_001, bytes: mostBytes },
      { limit: 20_000, bytes: 10 },
    ]);
  });

  test('once too much was found nothing more is fetched', async () => {
    const budget = createResponseBudget();
    await expect(withinBudget(budget, () => Promise.resolve(rowsOf(30_000)))).rejects.toMatchObject(refused);
    const fetch = jest.fn(() => Promise.resolve([]));
    await expect(withinBudget(budget, fetch)).rejects.toMatchObject(refused);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('reads that are asked for together come one after the other, and a failed one does not hold up the next', async () => {
    const budget = createResponseBudget();
    const events: string[] = [];
    const read = (name: string) =>
      withinBudget(budget, async () => {
        events.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        events.push(`${name} ends`);
        if (name === 'b') throw new Error('the database is away');
        return [];
      });
    await Promise.allSettled(['a', 'b', 'c'].map(read));
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('a large request waits once for its turn, and a usual one never', async () => {
    let turns = 0;
    const becomesLarge = () => Promise.resolve(void (turns += 1));
    const budget = createResponseBudget({ becomesLarge });
    const read = (rows: number) =>
      budget.read(
        () => Promise.resolve(rows),
        () => ({ rows, bytes: 1 }),
      );
    await read(2_000);
    expect(turns).toBe(0);
    await read(1);
    await read(1);
    expect(turns).toBe(1);
    const long = createResponseBudget({ becomesLarge });
    await withinBudget(
      long,
      () => Promise.resolve([{ text: 'x'.repeat(2 * 1_024 * 1_024 + 1) }]),
      ({ text }) => text.length,
    );
    expect(turns).toBe(2);
  });

  test('nothing more is read for a client that has gone', async () => {
    const gone = new AbortController();
    const budget = createResponseBudget({ signal: gone.signal });
    const fetch = jest.fn(() => Promise.resolve([{ id: 'a' }]));
    await withinBudget(budget, fetch);
    gone.abort();
    await expect(withinBudget(budget, fetch)).rejects.toThrow();
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

// Batched reads of nested lists: their size is bounded before they are read.
describe('batch', () => {
  test('no more rows are asked for than the response may hold, and one', async () => {
    const asked: number[] = [];
    const fetch = (parents: readonly string[], take: number) => {
      asked.push(take);
      return Promise.resolve(Array.from({ length: take - 2 }, () => ({ parent: parents[0]! })));
    };
    const children = batchLists(createResponseBudget(), fetch, ({ parent }) => parent);
    expect(await children.load('a')).toHaveLength(19_999);
    expect(await children.load('b')).toEqual([]);
    expect(asked).toEqual([20_001, 2]);
  });

  test('a row that several ask for is fetched once, and counts for each of them', async () => {
    const asked: (readonly string[])[] = [];
    const fetch = (ids: readonly string[]) => {
      asked.push(ids);
      return Promise.resolve(ids.map((id) => ({ id })));
    };
    const budget = createResponseBudget();
    const parents = batchRows(budget, fetch, ({ id }) => id);
    expect(await Promise.all(['a', 'b', 'a'].map((id) => parents.load(id)))).toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'a' },
    ]);
    expect(asked).toEqual([['a', 'b']]);
    await budget.read(
      async ({ limit }) => expect(limit).toBe(19_998),
      () => ({ rows: 0, bytes: 0 }),
    );
  });

  test('a list counts for each parent that has it', async () => {
    const budget = createResponseBudget();
    const list = async () => Array.from({ length: 8_000 }, () => ({ parent: 'a' }));
    const children = batchLists(budget, list, ({ parent }) => parent);
    const both = await Promise.all([children.load('a'), children.load('a')]);
    expect(both.map((rows) => rows.length)).toEqual([8_000, 8_000]);
    await expect(children.load('a')).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

// Turns: pieces of work that wait in lanes, so many at once, a bounded queue and a bounded wait.
describe('turns', () => {
  stopClock();

  describe('what waits', () => {
    /** Waiting items, each written as its lane and a number: `a1`. */
    const filled = (...items: string[]): FairQueue<string> => {
      const turns = new FairQueue<string>();
      for (const item of items) turns.add(item[0]!, item);
      return turns;
    };
    const all = (turns: FairQueue<string>): string[] => {
      const taken: string[] = [];
      for (let next = turns.next(); next; next = turns.next()) taken.push(next.item);
      return taken;
    };

    test('is taken in turns of its lanes, and in a lane in order of arrival', () => {
      const turns = filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
      expect(turns.length).toBe(6);
      expect(all(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
      expect([turns.length, turns.next()]).toEqual([0, undefined]);
    });

    test('of a lane comes behind the other lanes when one of it has been taken', () => {
      const turns = filled('a1', 'a2', 'b1');
      expect(turns.next()).toEqual({ lane: 'a', item: 'a1' });
      turns.add('c', 'c1');
      expect(all(turns)).toEqual(['b1', 'a2', 'c1']);
    });

    test('of a lane that may not begin is passed over, and keeps its turn', () => {
      const turns = filled('a1', 'a2', 'b1', 'b2');
      expect(turns.next((lane) => lane !== 'a')?.item).toBe('b1');
      expect(turns.next(() => false)).toBeUndefined();
      expect(all(turns)).toEqual(['a1', 'b2', 'a2']);
    });

    test('can be removed once', () => {
      const turns = filled('a1', 'a2', 'b1');
      expect([turns.remove('a', 'a1'), turns.remove('a', 'a1'), turns.remove('c', 'a2')]).toEqual([true, false, false]);
      expect(turns.remove('b', 'b1')).toBe(true);
      expect(turns.length).toBe(1);
      expect(all(turns)).toEqual(['a2']);
    });

    test('gives way to a lane with at least two fewer: the latest of the lane with most', () => {
      const turns = filled('a1', 'a2', 'b1', 'b2', 'b3');
      expect(['a', 'b', 'c'].map((lane) => turns.mayPushOut(lane))).toEqual([false, false, true]);
      expect(turns.pushOut()).toBe('b3');
      expect(turns.length).toBe(4);
      expect(all(turns)).toEqual(['a1', 'b1', 'a2', 'b2']);
      expect([turns.mayPushOut('c'), turns.pushOut()]).toEqual([false, undefined]);
    });
  });

  /** A limiter of pieces of work that the test ends, each written as its lane and a number. */
  function limited(bounds: Partial<LimiterBounds> = {}) {
    const limiter = createLimiter({ atOnce: 1, longestQueue: 1_000, refusal: () => new Error('refused'), ...bounds });
    const begun: string[] = [];
    const ends = new Map<string, (outcome: Promise<string>) => void>();
    const send = (...pieces: string[]): Promise<string>[] =>
      pieces.map((piece) => {
        const work = () => new Promise<string>((resolve) => (begun.push(piece), ends.set(piece, resolve)));
        return limiter(work, piece[0]);
      });
    const end = async (piece: string, outcome = Promise.resolve('done')): Promise<void> => {
      ends.get(piece)!(outcome);
      await nextTurn();
    };
    /** Ends what has begun, in its order, until nothing is left. */
    const endAll = async (): Promise<void> => {
      for (let at = 0; at < begun.length; at++) await end(begun[at]!);
    };
    return { limiter, begun, send, end, endAll };
  }

  test('so many run at once, and the end of each lets the next one begin', async () => {
    const { begun, send, end, endAll } = limited({ atOnce: 2 });
    const sent = send('a1', 'a2', 'a3', 'a4');
    expect(begun).toEqual(['a1', 'a2']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    await endAll();
    expect(await Promise.all(sent)).toEqual(Array(4).fill('done'));
  });

  test('a lane with a hundred that wait holds no other lane up', async () => {
    const { begun, send, end, endAll } = limited();
    const sent = send(...ids(101).map((id) => `a${id}`), 'b1');
    await end('au0');
    await end('au1');
    expect(begun).toEqual(['au0', 'au1', 'b1']);
    await endAll();
    expect(await Promise.all(sent)).toHaveLength(102);
  });

  test('so many of one lane run at once, and the other places are for others', async () => {
    const { begun, send, end, endAll } = limited({ atOnce: 3, ofOneLane: 2 });
    const sent = send('a1', 'a2', 'a3', 'a4');
    expect(begun).toEqual(['a1', 'a2']);
    sent.push(...send('b1', 'b2'));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
    await end('b2');
    expect(begun).toHaveLength(4);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
    await endAll();
    expect(await Promise.all(sent)).toEqual(Array(6).fill('done'));
  });

  describe('a full queue', () => {
    test('refuses one more of the lane that fills it, before its work begins', async () => {
      const { begun, send, endAll } = limited({ longestQueue: 2 });
      const sent = send('a1', 'a2', 'a3');
      expect(await settled(send('a4', 'a5'))).toEqual(['refused', 'refused']);
      await endAll();
      expect([begun, await Promise.all(sent)]).toEqual([
        ['a1', 'a2', 'a3'],
        ['done', 'done', 'done'],
      ]);
    });

    test('refuses the latest of the lane with most for one of another lane', async () => {
      const { begun, send, endAll } = limited({ longestQueue: 4 });
      const sent = send('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2');
      // Two of each lane wait now: neither takes a place of the other. A third lane takes one, and no second one.
      sent.push(...send('b3', 'a6', 'c1', 'c2'));
      const outcomes = settled(sent);
      await endAll();
      expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
      const [ofA, ofB] = [
        ['done', 'done', 'refused', 'refused', 'refused'],
        ['done', 'done'],
      ];
      expect(await outcomes).toEqual([...ofA, ...ofB, 'refused', 'refused', 'done', 'refused']);
    });

    test('of nothing refuses all that cannot begin at once', async () => {
      const { send, endAll } = limited({ longestQueue: 0 });
      const sent = send('a1');
      expect(await settled(send('a2', 'b1'))).toEqual(['refused', 'refused']);
      await endAll();
      expect(await Promise.all(sent)).toEqual(['done']);
    });
  });

  describe('patience', () => {
    test('ends the wait, and the next one still gets its turn', async () => {
      const { limiter, begun, send, end, endAll } = limited({ patienceMillis: 40 });
      const sent = settled(send('a1', 'a2'));
      await passMillis(39);
      const later = send('a3');
      await passMillis(1);
      await end('a1');
      expect(begun).toEqual(['a1', 'a3']);
      await endAll();
      expect(await sent).toEqual(['done', 'refused']);
      expect(await Promise.all(later)).toEqual(['done']);
      expect(await limiter(async () => 'free')).toBe('free');
    });

    test('takes nobody along that came later, and nobody that has begun', async () => {
      const { begun, send, end, endAll } = limited({ patienceMillis: 40 });
      const sent: Promise<unknown>[] = [];
      for (const piece of ['a1', 'a2', 'a3', 'a4']) {
        sent.push(...send(piece).map((each) => settled([each])));
        await passMillis(10);
      }
      // Now is 40 ms: the second piece has waited since 10 ms, the third since 20 ms.
      await passMillis(15);
      await end('a1');
      await passMillis(20);
      expect(begun).toEqual(['a1', 'a3']);
      await endAll();
      // At 75 ms the fourth has waited for 45 ms.
      expect(await Promise.all(sent)).toEqual([['done'], ['refused'], ['done'], ['refused']]);
    });

    test('leaves no timer behind of whoever has begun or was pushed out', async () => {
      const { send, endAll } = limited({ longestQueue: 2, patienceMillis: 40 });
      const sent = settled(send('a1', 'a2', 'a3', 'b1'));
      expect(waitingTimers()).toBe(2);
      await endAll();
      expect(waitingTimers()).toBe(0);
      expect(await sent).toEqual(['done', 'done', 'refused', 'done']);
    });
  });

  test('work that fails frees its place, also where it throws at once', async () => {
    const { limiter, send, end, begun, endAll } = limited();
    const failed = settled(send('a1'));
    const next = send('a2');
    await end('a1', Promise.reject(new Error('broken')));
    expect(await failed).toEqual(['broken']);
    expect(begun).toEqual(['a1', 'a2']);
    await endAll();
    await Promise.all(next);
    const broken = limiter(() => {
      throw new Error('at once');
    });
    expect(await settled([broken])).toEqual(['at once']);
    expect(await limiter(async () => 'free')).toBe('free');
  });

  describe('the lane of a request', () => {
    test('is that of all work that it begins, across awaits', async () => {
      const lane = () => pause(0).then(() => nextTurn().then(currentLane));
      const lanes = Promise.all([inLane('a', lane), inLane('b', () => inLane('c', lane)), lane()]);
      await passMillis(1);
      expect(await lanes).toEqual(['a', 'c', '']);
      expect(currentLane()).toBe('');
    });

    test('is where its work waits, and it keeps it in a turn that the end of other work gave', async () => {
      const { limiter } = limited();
      const begun: string[] = [];
      const ends: (() => void)[] = [];
      const ask = (name: string, lane: string): Promise<void> => {
        const work = () => {
          begun.push(`${name} in ${currentLane()}`);
          return new Promise<void>((resolve) => ends.push(resolve));
        };
        return inLane(lane, () => limiter(work));
      };
      const sent = [ask('first', 'a'), ask('second', 'a'), ask('third', 'a'), ask('fourth', 'b')];
      for (let at = 0; at < sent.length; at++) {
        ends[at]!();
        await nextTurn();
      }
      expect(begun).toEqual(['first in a', 'second in a', 'fourth in b', 'third in a']);
      await Promise.all(sent);
    });
  });
});

// A call ends by itself, with the outer signal or at its timeout, and leaves no timer or listener behind.
describe('withTimeout', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  test('resolves to what the call resolves to, and leaves nothing with the signal above it', async () => {
    const outer = new AbortController().signal;
    expect(await withTimeout(outer, 60_000, () => Promise.resolve('answer'))).toBe('answer');
    expect(getEventListeners(outer, 'abort')).toEqual([]);
  });

  describe('with a stopped clock', () => {
    stopClock();

    test('leaves no timer behind, whatever became of the call', async () => {
      const outer = new AbortController().signal;
      await withTimeout(outer, 60_000, () => Promise.resolve());
      await expect(withTimeout(outer, 60_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
      expect(waitingTimers()).toBe(0);
    });
  });

  test('ends when its time is over', async () => {
    const outer = new AbortController().signal;
    await expect(withTimeout(outer, 5, untilAborted)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(getEventListeners(outer, 'abort')).toEqual([]);
  });

  test('ends with the signal above it, and does not begin behind its end', async () => {
    const outer = new AbortController();
    const call = withTimeout(outer.signal, 60_000, untilAborted);
    outer.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
    let begun = false;
    const late = withTimeout(outer.signal, 60_000, async () => void (begun = true));
    await expect(late).rejects.toThrow('stopped');
    expect(begun).toBe(false);
  });

  test('32 calls at once below one signal make no warning, and all end with it', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    const outer = new AbortController();
    const calls = Array.from({ length: 32 }, () => withTimeout(outer.signal, 60_000, untilAborted));
    const ended = Promise.allSettled(calls);
    outer.abort();
    expect((await ended).map(({ status }) => status)).toEqual(Array(32).fill('rejected'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings.filter((name) => name.startsWith('MaxListeners'))).toEqual([]);
  });
});

// Removes one item from a list of items under way, and nothing when the item is absent.
describe('removeFromArray', () => {
  test('takes out what is given and keeps the order of the rest', () => {
    const [first, second, third] = [{}, {}, {}];
    const list = [first, second, third];
    removeFromArray(list, second);
    expect(list).toEqual([first, third]);
    expect(list[0]).toBe(first);
    expect(list[1]).toBe(third);
  });

  test('does nothing where it is not in the list', () => {
    const list = [1, 2];
    removeFromArray(list, 3);
    removeFromArray([], 3);
    expect(list).toEqual([1, 2]);
  });
});
