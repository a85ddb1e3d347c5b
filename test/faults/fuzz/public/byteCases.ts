// Damage to the bytes of a valid body: on its way, by a broken encoder, or on purpose.
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Expected, PublicCase } from '../cases.ts';
import { base64 } from '../cases.ts';

interface Damage {
  name: string;
  expected: Expected;
  encoding?: 'gzip' | 'deflate';
  /** `at` and `size` are any whole numbers. */
  damage(bytes: Buffer, at: number, size: number): Buffer;
}

const any: Expected = { statuses: [200, 413, 422] };
const unreadable: Expected = { statuses: [422], fields: [''] };
const insert = (bytes: Buffer, at: number, what: Buffer) => {
  const place = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, place), what, bytes.subarray(place)]);
};
const truncate = (bytes: Buffer, at: number) => bytes.subarray(0, at % bytes.length);
const flip = (bytes: Buffer, at: number, size: number) => {
  const flipped = Buffer.from(bytes);
  for (let i = 0; i <= size % 8; i++) flipped[(at + i * 7_919) % bytes.length]! ^= 1 << ((size + i) % 8);
  return flipped;
};
const brokenUtf8 = ['ff', 'c080', 'eda080', '80', 'f4908080', 'e282', 'f8888080'].map((hex) => Buffer.from(hex, 'hex'));
const signs = ['{', '}', '[', ']', '"', ',', ':', '\\', '-', 'e', '.', '0', '\0', ' ', 'null', '\\u', '//', '\u2028'];
const nested = (opening: string, size: number) => opening.repeat(33 + (size % 5) ** 7 * 6);

const damages: Damage[] = [
  { name: 'truncated', expected: unreadable, damage: truncate },
  { name: 'empty', expected: unreadable, damage: () => Buffer.alloc(0) },
  { name: 'flipped bits', expected: any, damage: flip },
  { name: 'a piece missing', expected: any, damage: cutOut },
  {
    name: 'a piece twice',
    expected: any,
    damage: (bytes, at, size) =>
      insert(bytes, at, bytes.subarray(at % bytes.length, (at % bytes.length) + (size % 50))),
  },
  {
    name: 'a sign more',
    expected: any,
    damage: (bytes, at, size) => insert(bytes, at, Buffer.from(signs[size % signs.length]!)),
  },
  {
    name: 'broken UTF-8',
    expected: unreadable,
    damage: (bytes, at, size) => insert(bytes, at, brokenUtf8[size % brokenUtf8.length]!),
  },
  {
    name: 'a byte order mark',
    expected: unreadable,
    damage: (bytes) => Buffer.concat([Buffer.from('efbbbf', 'hex'), bytes]),
  },
  { name: 'UTF-16', expected: unreadable, damage: (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le') },
  {
    name: 'something behind',
    expected: unreadable,
    damage: (bytes, at) => Buffer.concat([bytes, Buffer.from('x{}[]0'[at % 6]!)]),
  },
  {
    name: 'nested arrays',
    expected: unreadable,
    damage: (_, at, size) => Buffer.from(`{"a":${nested('[', size)}${at % 2 ? '1' : ''}`),
  },
  {
    name: 'nested objects',
    expected: unreadable,
    damage: (_, at, size) => Buffer.from(`${nested('{"a":', size)}${at % 2 ? '1' : ''}`),
  },
  {
    name: 'a number',
    expected: unreadable,
    damage: (_bytes, _at, size) => Buffer.from('7'.repeat(1 + (size % 9) ** 6)),
  },
  { name: 'unfinished number', expected: any, damage: (bytes, at) => insert(bytes, at, Buffer.from('1e')) },
  { name: 'gzip', encoding: 'gzip', expected: { statuses: [200] }, damage: (bytes) => gzipSync(bytes) },
  { name: 'deflate', encoding: 'deflate', expected: { statuses: [200] }, damage: (bytes) => deflateSync(bytes) },
  {
    name: 'gzip truncated',
    encoding: 'gzip',
    expected: unreadable,
    damage: (bytes, at) => truncate(gzipSync(bytes), at),
  },
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
  { name: 'gzip of gzip', encoding: 'gzip', expected: unreadable, damage: (bytes) => gzipSync(gzipSync(bytes)) },
  { name: 'not compressed', encoding: 'gzip', expected: unreadable, damage: (bytes) => bytes },
  { name: 'the other compression', encoding: 'gzip', expected: unreadable, damage: (bytes) => deflateSync(bytes) },
  {
    name: 'a bomb',
    encoding: 'gzip',
    expected: { statuses: [413], unit: 'bytes', limit: 8_388_608 },
    damage: () => bomb,
  },
  { name: 'too many bytes', expected: { statuses: [413], unit: 'bytes', limit: 2_097_152 }, damage: () => tooMany },
];
const bomb = gzipSync(Buffer.alloc(9_000_000, ' '));
const tooMany = Buffer.alloc(2_097_153, ' ');
const rare = ['a bomb', 'too many bytes'];

function cutOut(bytes: Buffer, at: number, size: number): Buffer {
  const place = at % bytes.length;
  return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1 + (size % 20))]);
}

export function byteCases(valid: fc.Arbitrary<PublicCase>): fc.Arbitrary<PublicCase> {
  const often = damages.filter(({ name }) => !rare.includes(name));
  const damage = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...often) },
    { weight: 1, arbitrary: fc.constantFrom(...damages.filter(({ name }) => rare.includes(name))) },
  );
  const number = fc.noBias(fc.nat());
  return fc.tuple(valid, damage, number, number).map(([request, { name, expected, encoding, damage }, at, size]) => {
    // Without the white space around it, whose loss or damage would harm nothing.
    const bytes = Buffer.from(Buffer.from(request.body, 'base64').toString('utf8').trim());
    const headers = { ...request.headers, ...(encoding && { 'content-encoding': encoding }) };
    return { ...request, change: name, headers, body: base64(damage(bytes, at, size)), expected };
  });
}
