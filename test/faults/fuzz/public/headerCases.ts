// Damages the headers of a valid request: key, media type, encoding, signature.
import fc from 'fast-check';
import { keyPlace, type Expected, type PublicCase } from '../cases.ts';

interface Damage {
  headers: Record<string, string>;
  expected: Expected;
  /** For reportSessions only. */
  signed?: boolean;
}

const ok: Expected = { statuses: [200] };
const noKey: Expected = { statuses: [404] };
const noJson: Expected = { statuses: [415] };
const refusal = (reason: string): Expected => ({ statuses: [403], reason });
const each = (name: string, values: string[], expected: Expected): Damage[] =>
  values.map((value) => ({ headers: { [name]: value }, expected }));

const odd = ['x', '*', '\u00e9', '"', ';', ',', '=', '{}', '\t', 'x'.repeat(4_000), 'a, b', '-1', '0', '1e9', 'null'];
const jsonTypes = [
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  '',
];
const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/jsonx',
];
const moreTypes = [
  'multipart/form-data',
  'application/json, text/plain',
  'text/json',
  'application/vnd.api+json',
  `application/json;${' '.repeat(3_000)}x`,
];
const otherEncodings = ['br', 'zstd', 'gzip, gzip', 'gzip;q=1', 'compress', 'chunked', 'gzip,deflate'];
/** The body is not compressed: the server sees that a proxy has inflated it. */
const knownEncodings = ['identity', 'IDENTITY', '', 'gzip', 'Deflate', 'x-gzip', 'gzip,identity', ','];
const hex = '0'.repeat(64);

const unsigned: Damage[] = [
  ...each('x-api-key', ['', '{key}x', 'pub_', 'null', '{key}, {key}', 'pub_%00', "' OR 1=1", ...odd], noKey),
  ...each('content-type', jsonTypes, ok),
  ...each('content-type', [...otherTypes, ...moreTypes, ...odd.filter((text) => text.trim() !== '')], noJson),
  ...each('content-encoding', knownEncodings, ok),
  ...each('content-encoding', [...otherEncodings, ...odd.filter((text) => !/^[\s,]*$/.test(text))], noJson),
  ...[
    'accept',
    'if-none-match',
    'origin',
    'referer',
    'cookie',
    'accept-encoding',
    'x-forwarded-for',
    'authorization',
    'range',
  ].flatMap((name) => each(name, odd, ok)),
];
const timestamps = ['', '1', '12345678901', '1e9', '-123456789', '178900000x', ' ', '0x12345678', '1789000000.5'];
const nonces = [
  '',
  'short',
  'x'.repeat(65),
  '!'.repeat(22),
  '\u00e9'.repeat(22),
  'x'.repeat(4_000),
  '0123456789 0123456789012',
];
const signatures = [
  '',
  'v1=',
  `v1=${hex.slice(1)}`,
  `v1=${hex}0`,
  `V1=${hex}`,
  `v1=${'G'.repeat(64)}`,
  `v2=${hex}`,
  hex,
];
const alone = { 'x-timestamp': '1789000000', 'x-nonce': 'AAECAwQFBgcICQoLDA0ODw', 'x-signature': `v1=${hex}` };

const signing: Damage[] = [
  { headers: {}, expected: ok, signed: true },
  ...Object.entries(alone).map(([name, value]) => ({
    headers: { [name]: value },
    expected: refusal('signature_missing'),
  })),
  { headers: alone, expected: refusal('signature_mismatch') },
  ...[
    ...each('x-timestamp', timestamps, refusal('signature_malformed')),
    ...each('x-nonce', nonces, refusal('signature_malformed')),
  ],
  ...each('x-signature', signatures, refusal('signature_malformed')),
  ...each('x-signature', [`v1=${hex}`, `v1=${'a'.repeat(64)}`], refusal('signature_mismatch')),
  ...each('x-timestamp', ['0000000000', '9999999999', '1789000001'], refusal('signature_mismatch')),
  ...each('x-nonce', ['A'.repeat(22), 'B'.repeat(64), '_-'.repeat(20)], refusal('signature_mismatch')),
].map((damage: Damage) => ({ ...damage, signed: damage.signed ?? Object.keys(damage.headers).length === 1 }));

/**
 * A single signature header without the others is `signature_missing`; beside a good signature it would spoil that
 * signature.
 */
function isAlone({ expected, headers }: Damage): boolean {
  return expected.reason === 'signature_missing' || headers === alone;
}

export function headerCases(valid: fc.Arbitrary<PublicCase>): fc.Arbitrary<PublicCase> {
  return fc
    .tuple(valid, fc.constantFrom(...unsigned), fc.constantFrom(...signing), fc.boolean())
    .map(([request, plain, signature, sign]) => {
      const damage =
        sign && request.operation === 'reportSessions' ? { ...signature, signed: !isAlone(signature) } : plain;
      const headers: Record<string, string> = { 'x-api-key': keyPlace, ...damage.headers };
      const change = `headers ${JSON.stringify(damage.headers).slice(0, 80)}`;
      return { ...request, change, headers, signed: damage.signed ?? false, expected: damage.expected };
    });
}
