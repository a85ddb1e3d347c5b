// Damages the bytes of a JSON body, as a network, a broken encoder or an attacker may.

export interface ByteDamage {
  name: string;
  /** True if the damaged body is certainly unreadable. */
  unreadable: boolean;
  /** `at` and `size` are any whole numbers. */
  damage(bytes: Buffer, at: number, size: number): Buffer;
}

export function truncate(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(0, at % bytes.length);
}

/** Flips one to eight bits, spread over the body. */
export function flip(bytes: Buffer, at: number, size: number): Buffer {
  const flipped = Buffer.from(bytes);
  for (let i = 0; i <= size % 8; i++) flipped[(at + i * 7_919) % bytes.length]! ^= 1 << ((size + i) % 8);
  return flipped;
}

function insert(bytes: Buffer, at: number, what: Buffer | string): Buffer {
  const place = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(what as string), bytes.subarray(place)]);
}

function cutOut(bytes: Buffer, at: number, size: number): Buffer {
  const place = at % bytes.length;
  return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1 + (size % 20))]);
}

function repeat(bytes: Buffer, at: number, size: number): Buffer {
  const place = at % bytes.length;
  return insert(bytes, at, bytes.subarray(place, place + (size % 50)));
}

const brokenUtf8 = ['ff', 'c080', 'eda080', '80', 'f4908080', 'e282', 'f8888080'].map((hex) => Buffer.from(hex, 'hex'));
const signs = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '-',
  'e',
  '.',
  '0',
  '\0',
  ' ',
  'null',
  '\\u',
  '//',
  '\u2028',
  '1e',
];
/** Nesting from one level too deep to a depth that no stack can hold. */
const nested = (opening: string, size: number) => `{"a":${opening.repeat(33 + (size % 5) ** 7 * 6)}`;

export const byteDamages: readonly ByteDamage[] = [
  { name: 'truncated', unreadable: true, damage: truncate },
  { name: 'empty', unreadable: true, damage: () => Buffer.alloc(0) },
  { name: 'flipped bits', unreadable: false, damage: flip },
  { name: 'a piece missing', unreadable: false, damage: cutOut },
  { name: 'a piece twice', unreadable: false, damage: repeat },
  {
    name: 'a sign more',
    unreadable: false,
    damage: (bytes, at, size) => insert(bytes, at, signs[size % signs.length]!),
  },
  { name: 'broken UTF-8', unreadable: true, damage: (bytes, at, size) => insert(bytes, at, brokenUtf8[size % 7]!) },
  { name: 'a byte order mark', unreadable: true, damage: (bytes) => insert(bytes, 0, '\ufeff') },
  { name: 'UTF-16', unreadable: true, damage: (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le') },
  {
    name: 'something behind',
    unreadable: true,
    damage: (bytes, at) => Buffer.concat([bytes, Buffer.from('x{}[]0'[at % 6]!)]),
  },
  { name: 'nested lists', unreadable: true, damage: (_bytes, at, size) => Buffer.from(nested('[', size) + (at % 2)) },
  {
    name: 'nested objects',
    unreadable: true,
    damage: (_bytes, at, size) => Buffer.from(nested('{"a":', size) + (at % 2)),
  },
  { name: 'a number', unreadable: true, damage: (_bytes, _at, size) => Buffer.from('7'.repeat(1 + (size % 9) ** 6)) },
];
