// The signature of an upload: the contract's test vector, each refusal, and the order of the checks.
import { randomBytes } from 'node:crypto';
import { signatureOf, verifySignature, type Verification } from '../../src/platform/signature.ts';
import { AppError } from '../../src/platform/errors.ts';

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
  test.each(['x-timestamp', 'x-nonce', 'x-signature'] as const)('one missing, %s, is refused in both modes', (name) => {
    const partial = { ...headers, [name]: undefined };
    for (const required of [true, false]) {
      expect(refusalOf({ headers: partial, required })).toMatchObject({ reason: 'signature_missing' });
    }
  });
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
