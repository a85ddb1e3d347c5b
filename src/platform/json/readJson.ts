// Reads a JSON body and refuses what JSON.parse would silently change: duplicate keys, deep nesting, broken UTF-8.
import { visit } from 'jsonc-parser';
import type { FieldError } from '../errors.ts';
import { byteOf, endOfString } from './jsonBytes.ts';

export interface JsonObject {
  value: object;
  text: string;
  longIntegers: LongInteger[];
  /** Each key that is repeated in one object; `value` holds the last. Slow when there is one. */
  repeatedKeys: () => FieldError[];
  fields?: undefined;
}

export interface JsonRefusal {
  fields: FieldError[];
  /** It has more values than it may. Nothing else of it is known. */
  tooManyValues?: boolean;
}

export type JsonReading = JsonObject | JsonRefusal;

const maxDepth = 32;
const noKeys = (): FieldError[] => [];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of a body, or the fields that make it unreadable. A body that is no JSON object has one field with path "".
 * Before JSON.parse: from 5,000 levels on, a walk over the value, or writing it, overflows the stack. And JSON.parse takes
 * 2 s for 8 MiB of `[]`, which are 8 kB on the wire (docs/decisions/body-values.md).
 */
export function readJson(bytes: Buffer, { maxValues = Infinity }: { maxValues?: number } = {}): JsonReading {
  const { depth, values, members, longIntegers } = scanJson(bytes, { maxDepth, maxValues });
  if (depth > maxDepth) return refused(`is nested deeper than ${maxDepth} levels`);
  if (values > maxValues) return { fields: [], tooManyValues: true };
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return refused(`is not valid JSON in UTF-8; reading stopped at byte offset ${offsetOfFault(bytes)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('must be a JSON object');
  // JSON.parse keeps the last of two equal keys: the text has more members than the value then.
  const repeatedKeys = countMembers(value) === members ? noKeys : () => findRepeatedKeys(text);
  return { value, text, longIntegers, repeatedKeys };
}

function refused(message: string): JsonRefusal {
  return { fields: [{ path: '', message }] };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  // An object of JSON.parse inherits nothing that this loop visits. Object.values takes twice as long.
  for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}

/** Thrown to end a walk. Made once, because its stack is never used. */
const enough = new Error('enough is found');

/** Only for a body that has one: the paths of the first hundred repeated keys. */
function findRepeatedKeys(text: string): FieldError[] {
  const seen: Set<string>[] = [];
  const paths = new Set<string>();
  let found = 0;
  try {
    visit(text, {
      onObjectBegin: () => void seen.push(new Set()),
      onObjectEnd: () => void seen.pop(),
      onObjectProperty(...[name, , , , , parents]) {
        const keys = seen.at(-1)!;
        if (keys.has(name)) paths.add(fieldPath([...parents(), name]));
        if (keys.has(name) && ++found >= maxFields) throw enough;
        keys.add(name);
      },
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return [...paths].map((path) => ({ path, message: 'stands twice in one object' }));
}

// One pass over the bytes of a JSON body before it is parsed: it finds facts that the parsed value no longer shows.

/** Byte offsets of an integer that a double cannot hold. */
export interface LongInteger {
  start: number;
  end: number;
}

export interface JsonScan {
  /** The deepest nesting. The pass ends where it exceeds `maxDepth`. */
  depth: number;
  /** Opening braces, opening brackets and commas: no text has more values than one more. The pass ends beyond `maxValues`. */
  values: number;
  /** Members of all objects, counted by their colons. */
  members: number;
  longIntegers: LongInteger[];
}

export interface JsonBounds {
  maxDepth: number;
  maxValues: number;
}

/** Bytes of longer UTF-8 sequences are never ASCII. For a text that is not JSON the results have no meaning. */
export function scanJson(bytes: Buffer, { maxDepth, maxValues }: JsonBounds): JsonScan {
  const scan: JsonScan = { depth: 0, values: 0, members: 0, longIntegers: [] };
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === byteOf.quote) i = endOfString(bytes, i);
    else if (byte === byteOf.colon) scan.members += 1;
    else if (byte === byteOf.comma) {
      if (++scan.values > maxValues) return scan;
    } else if (byte === byteOf.openBrace || byte === byteOf.openBracket) {
      scan.values += 1;
      scan.depth = Math.max(scan.depth, ++depth);
      if (depth > maxDepth || scan.values > maxValues) return scan;
    } else if (byte === byteOf.closeBrace || byte === byteOf.closeBracket) depth -= 1;
    else if (byte === byteOf.minus || isDigit(byte)) {
      const end = endOfNumber(bytes, i);
      if (isLongInteger(bytes, i, end)) scan.longIntegers.push({ start: i, end });
      i = end - 1;
    }
  }
  return scan;
}

function endOfNumber(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && (isDigit(bytes[i]!) || isNumberSign(bytes[i]!))) i++;
  return i;
}

/**
 * An integer beyond 2^53 − 1 has at least sixteen digits. They are looked at one by one: a pattern over eight million digits
 * exhausts the stack.
 */
function isLongInteger(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === byteOf.minus ? start + 1 : start;
  if (end - first < 16) return false;
  let value = 0;
  for (let i = first; i < end; i++) {
    if (!isDigit(bytes[i]!)) return false;
    // Up to 16 digits the sum is rounded once, at its last digit. A text of each number took fifty times as long.
    value = value * 10 + (bytes[i]! - byteOf.zero);
  }
  return end - first > 16 || !Number.isSafeInteger(value);
}

function isDigit(byte: number): boolean {
  return byte >= byteOf.zero && byte <= byteOf.nine;
}

function isNumberSign(byte: number): boolean {
  const isPower = byte === byteOf.capitalE || byte === byteOf.e;
  return isPower || byte === byteOf.plus || byte === byteOf.minus || byte === byteOf.point;
}

// Finds where bytes stop being JSON in UTF-8, for the message of a body that cannot be read (openapi.yaml, "Paths in `fields`").

/**
 * The offset of the first byte after which no JSON text is possible; the length of the bytes when they only end too
 * early. V8 gives no offset for most faults, and otherwise counts UTF-16 units. Not recursive: a hostile body nests a
 * million deep.
 */
export function offsetOfFault(bytes: Buffer): number {
  return new FaultFinder(bytes).find();
}

/** Thrown at the fault. Made once, because its stack is never used. */
const stopped = new Error('no JSON goes on here');

class FaultFinder {
  readonly #bytes: Buffer;
  #at = 0;
  /** The closing byte of each open container. */
  readonly #open: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  find(): number {
    try {
      this.#value();
      while (this.#open.length > 0) this.#afterValue();
      this.#skipSpace();
    } catch (error) {
      if (error !== stopped) throw error;
    }
    return this.#at;
  }

  #expect(isExpected: (byte: number) => boolean): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined || !isExpected(byte)) throw stopped;
    this.#at++;
    return byte;
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
  }

  #peek(): number | undefined {
    this.#skipSpace();
    return this.#bytes[this.#at];
  }

  /** Takes a value up to the first scalar in it, or the end of an empty container. */
  #value(): void {
    for (;;) {
      const byte = this.#peek();
      if (byte !== byteOf.openBrace && byte !== byteOf.openBracket) return this.#scalar(byte);
      this.#at++;
      const end = byte === byteOf.openBrace ? byteOf.closeBrace : byteOf.closeBracket;
      if (this.#peek() === end) return void this.#at++;
      this.#open.push(end);
      if (end === byteOf.closeBrace) this.#key();
    }
  }

  #afterValue(): void {
    const end = this.#open.at(-1)!;
    const byte = this.#peek();
    if (byte !== end && byte !== byteOf.comma) throw stopped;
    this.#at++;
    if (byte === end) return void this.#open.pop();
    if (end === byteOf.closeBrace) this.#key();
    this.#value();
  }

  #key(): void {
    this.#skipSpace();
    this.#string();
    this.#skipSpace();
    this.#expect((byte) => byte === byteOf.colon);
  }

  #scalar(byte: number | undefined): void {
    if (byte === byteOf.quote) return this.#string();
    if (byte === byteOf.t) return this.#word('true');
    if (byte === byteOf.f) return this.#word('false');
    if (byte === byteOf.n) return this.#word('null');
    this.#number();
  }

  #word(word: string): void {
    for (const letter of Buffer.from(word)) this.#expect((byte) => byte === letter);
  }

  #number(): void {
    if (this.#bytes[this.#at] === byteOf.minus) this.#at++;
    if (this.#expect(isDigit) !== byteOf.zero) this.#digits();
    if (this.#bytes[this.#at] === byteOf.point) {
      this.#at++;
      this.#expect(isDigit);
      this.#digits();
    }
    const exponent = this.#bytes[this.#at];
    if (exponent !== byteOf.e && exponent !== byteOf.capitalE) return;
    this.#at++;
    const sign = this.#bytes[this.#at];
    if (sign === byteOf.plus || sign === byteOf.minus) this.#at++;
    this.#expect(isDigit);
    this.#digits();
  }

  #digits(): void {
    while (isDigit(this.#bytes[this.#at] ?? 0)) this.#at++;
  }

  #string(): void {
    this.#expect((byte) => byte === byteOf.quote);
    for (;;) {
      const byte = this.#expect((each) => each >= byteOf.space);
      if (byte === byteOf.quote) return;
      if (byte === byteOf.backslash) this.#escape();
      else if (byte >= 0x80) this.#restOfCharacter(byte);
    }
  }

  #escape(): void {
    const letter = this.#expect((byte) => escapes.includes(byte));
    if (letter !== lowerU) return;
    for (let digit = 0; digit < 4; digit++) this.#expect(isHexDigit);
  }

  /** The sequences of UTF-8 by their first byte (Unicode, table 3-7): only the second byte has bounds of its own. */
  #restOfCharacter(first: number): void {
    const sequence = sequences.find(({ from, to }) => first >= from && first <= to);
    if (!sequence) {
      this.#at--;
      throw stopped;
    }
    this.#expect((byte) => byte >= sequence.least && byte <= sequence.most);
    for (let more = sequence.length - 2; more > 0; more--) this.#expect((byte) => byte >= 0x80 && byte <= 0xbf);
  }
}

const lowerU = 0x75;
const escapes = Buffer.from('"\\/bfnrtu');

const sequences = [
  { from: 0xc2, to: 0xdf, length: 2, least: 0x80, most: 0xbf },
  { from: 0xe0, to: 0xe0, length: 3, least: 0xa0, most: 0xbf },
  { from: 0xe1, to: 0xec, length: 3, least: 0x80, most: 0xbf },
  { from: 0xed, to: 0xed, length: 3, least: 0x80, most: 0x9f },
  { from: 0xee, to: 0xef, length: 3, least: 0x80, most: 0xbf },
  { from: 0xf0, to: 0xf0, length: 4, least: 0x90, most: 0xbf },
  { from: 0xf1, to: 0xf3, length: 4, least: 0x80, most: 0xbf },
  { from: 0xf4, to: 0xf4, length: 4, least: 0x80, most: 0x8f },
];

function isSpace(byte: number | undefined): boolean {
  return byte === byteOf.space || byte === byteOf.lineFeed || byte === byteOf.carriageReturn || byte === byteOf.tab;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

// Writes a place in a request body as `fields[].path` (openapi.yaml, "Paths in `fields`").

/** The most entries of one 422 body. */
export const maxFields = 100;

/** The most code points of a path: openapi.yaml counts them as characters. */
const maxLength = 1024;
const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** `['sessions', 0, 'events', 1, 'name']` becomes `sessions[0].events[1].name`; other keys become `["a.b"]`. */
export function fieldPath(segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (path.length >= 2 * maxLength) break;
    path += typeof segment === 'number' ? `[${segment}]` : written(segment, path === '');
  }
  return cut(path);
}

/** Cuts the key before it is quoted: a hostile key may have millions of characters. */
function written(key: string, first: boolean): string {
  const short = cut(key);
  if (identifier.test(short)) return first ? short : `.${short}`;
  return `[${JSON.stringify(short)}]`;
}

/** Never cuts inside a surrogate pair: half of one is not Unicode, and a client would fail on the response. */
function cut(text: string): string {
  if (text.length <= maxLength) return text;
  return [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join('');
}
