// A valid body with damaged bytes, compressed and plain.
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { byteDamages, flip, truncate, type ByteDamage } from '../byteDamage.ts';
import { base64, type Expected, type PublicCase } from '../cases.ts';

interface Damage extends Omit<ByteDamage, 'unreadable'> {
  expected: Expected;
  encoding?: 'gzip' | 'deflate';
}

const any: Expected = { statuses: [200, 413, 422] };
const unreadable: Expected = { statuses: [422], fields: [''] };
const tooLarge = (limit: number): Expected => ({ statuses: [413], unit: 'bytes', limit });
const bomb = gzipSync(Buffer.alloc(9_000_000, ' '));
const inflatesTooMuch: Expected = { statuses: [413], unit: 'inflation', limit: 200 };
const tooMany = Buffer.alloc(2_097_153, ' ');

const damages: Damage[] = [
  ...byteDamages.map((damage) => ({ ...damage, expected: damage.unreadable ? unreadable : any })),
  { name: 'gzip', encoding: 'gzip', expected: { statuses: [200] }, damage: (bytes) => gzipSync(bytes) },
  { name: 'deflate', encoding: 'deflate', expected: { statuses: [200] }, damage: (bytes) => deflateSync(bytes) },
  { name: 'raw deflate', encoding: 'deflate', expected: { statuses: [200] }, damage: (bytes) => deflateRawSync(bytes) },
  { name: 'gzip without its header', expected: { statuses: [200] }, damage: (bytes) => gzipSync(bytes) },
  {
    name: 'gzip without its header flipped',
    expected: any,
    damage: (bytes, at, size) => flip(gzipSync(bytes), at, size),
  },
  ...[
    {
      name: 'gzip truncated',
      expected: unreadable,
      damage: (bytes: Buffer, at: number) => truncate(gzipSync(bytes), at),
    },
    { name: 'gzip of gzip', expected: unreadable, damage: (bytes: Buffer) => gzipSync(gzipSync(bytes)) },
    { name: 'not compressed', expected: { statuses: [200] }, damage: (bytes: Buffer) => bytes },
    { name: 'the other compression', expected: { statuses: [200] }, damage: (bytes: Buffer) => deflateSync(bytes) },
  ].map((damage) => ({ ...damage, encoding: 'gzip' as const })),
  {
    name: 'gzip flipped',
    encoding: 'gzip',
    expected: any,
    damage: (bytes, at, size) => flip(gzipSync(bytes), at, size),
  },
  {
    name: 'deflate flipped',
    encoding: 'deflate',
    expected: any,
    damage: (bytes, at, size) => flip(deflateSync(bytes), at, size),
  },
];
const large: Damage[] = [
  { name: 'a bomb', encoding: 'gzip', expected: inflatesTooMuch, damage: () => bomb },
  { name: 'a bomb without its header', expected: inflatesTooMuch, damage: () => bomb },
  { name: 'too many bytes', expected: tooLarge(2_097_152), damage: () => tooMany },
];

export function byteCases(valid: fc.Arbitrary<PublicCase>): fc.Arbitrary<PublicCase> {
  const damage = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...damages) },
    { weight: 1, arbitrary: fc.constantFrom(...large) },
  );
  const number = fc.noBias(fc.nat());
  return fc.tuple(valid, damage, number, number).map(([request, { name, expected, encoding, damage }, at, size]) => {
    // Removes surrounding white space: damage to it would have no effect.
    const bytes = Buffer.from(Buffer.from(request.body, 'base64').toString('utf8').trim());
    const headers = { ...request.headers, ...(encoding && { 'content-encoding': encoding }) };
    return { ...request, change: name, headers, body: base64(damage(bytes, at, size)), expected };
  });
}
