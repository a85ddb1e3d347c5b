// Reads JSON values at a place in the bytes of a text. It stops at rare forms: JSON.parse then reads the text.
import { isUtf8 } from 'node:buffer';
import { isStorableText } from '../../platform/inputRules.ts';
import { byteOf, endOfString } from '../../platform/json/jsonSigns.ts';

/**
 * Thrown for a text that is no JSON, and for JSON that the cursor does not read. Made once, because its stack is never
 * used.
 */
export const notRead = new Error('not read in one pass');

const words = { null: Buffer.from('null'), true: Buffer.from('true'), false: Buffer.from('false') };
/** The characters of a number. */
const numberSigns = /[-+.\deE]+/y;
const numberForm = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** A double holds every integer of 15 digits and these powers of ten exactly, so their quotient is rounded once. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent);

/** Whether the bytes between two places have a form. */
export type ByteForm = (bytes: Buffer, start: number, end: number) => boolean;

export interface Word {
  text: string;
  /** As JSON. */
  written: Buffer;
}

export class JsonCursor {
  /** The code of a reader compares keys with these, byte by byte. */
  readonly bytes: Buffer;
  /** One character for each byte. Strings are cut from it: decoding each string takes five times as long. */
  readonly #text: string;
  #at = 0;

  /** Throws `notRead` for bytes that are not UTF-8. */
  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw notRead;
    this.bytes = bytes;
    this.#text = bytes.toString('latin1');
  }

  /** Enters an object or an array. True where it has an entry, which is next then. */
  open(begin: number, end: number): boolean {
    this.#expect(begin);
    if (this.#next() !== end) return true;
    this.#at++;
    return false;
  }

  /** Called after an entry. True when another entry follows. */
  more(end: number): boolean {
    const byte = this.#next();
    if (byte !== end && byte !== byteOf.comma) throw notRead;
    this.#at++;
    return byte !== end;
  }

  /** Where the next key or value begins. */
  nextAt(): number {
    this.#next();
    return this.#at;
  }

  isAt(at: number, word: Uint8Array): boolean {
    const bytes = this.bytes;
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
    return true;
  }

  /** Moves to the value of a key that ends before this place. */
  toValue(keyEnd: number): void {
    this.#at = keyEnd;
    this.#expect(byteOf.colon);
  }

  null(): boolean {
    return this.#next() === byteOf.n && this.#take(words.null);
  }

  boolean(): boolean {
    const value = this.#next() === byteOf.t;
    if (!this.#take(value ? words.true : words.false)) throw notRead;
    return value;
  }

  /** A string, a number or a boolean. */
  primitive(maxLength: number): string | number | boolean {
    const byte = this.#next();
    if (byte === byteOf.quote) return this.string(maxLength);
    return byte === byteOf.t || byte === byteOf.f ? this.boolean() : this.number();
  }

  /** `maxLength` in UTF-16 units. A longer string may still have as few code points as the contract allows: it is not read. */
  string(maxLength: number): string {
    this.#expect(byteOf.quote);
    const bytes = this.bytes;
    const begin = this.#at;
    let end = begin;
    let all = 0;
    for (; end < bytes.length && bytes[end] !== byteOf.quote; end++) {
      const byte = bytes[end]!;
      if (byte < byteOf.space) throw notRead;
      if (byte === byteOf.backslash) return this.#escapedString(maxLength);
      all |= byte;
    }
    if (end === bytes.length) throw notRead;
    this.#at = end + 1;
    const value = all < 0x80 ? this.#text.slice(begin, end) : bytes.toString('utf8', begin, end);
    if (value.length > maxLength) throw notRead;
    return value;
  }

  /** A string whose bytes are checked for a form. */
  formed(maxLength: number, hasForm: ByteForm): string {
    const begin = this.nextAt() + 1;
    const value = this.string(maxLength);
    if (!hasForm(this.bytes, begin, this.#at - 1)) throw notRead;
    return value;
  }

  /** One of these strings of ASCII without escapes. */
  word(choices: readonly Word[]): string {
    const at = this.nextAt();
    for (const { text, written } of choices) {
      if (!this.isAt(at, written)) continue;
      this.#at = at + written.length;
      return text;
    }
    throw notRead;
  }

  /** A text that cannot be stored is not read. Only an escape can contain one. */
  #escapedString(maxLength: number): string {
    const begin = this.#at - 1;
    this.#at = endOfString(this.bytes, begin) + 1;
    const value = parseString(this.bytes.toString('utf8', begin, this.#at));
    if (value.length > maxLength || !isStorableText(value)) throw notRead;
    return value;
  }

  /** An integer that a double may not hold is not read. */
  number(): number {
    const bytes = this.bytes;
    const negative = this.#next() === byteOf.minus;
    const begin = negative ? this.#at + 1 : this.#at;
    let end = begin;
    let point = -1;
    let value = 0;
    for (; end < bytes.length; end++) {
      const byte = bytes[end]!;
      if (byte >= byteOf.zero && byte <= byteOf.nine) value = value * 10 + (byte - byteOf.zero);
      else if (byte === byteOf.point && point < 0) point = end;
      else break;
    }
    const whole = (point < 0 ? end : point) - begin;
    const places = point < 0 ? 0 : end - point - 1;
    const isShort = whole > 0 && whole + places <= exactDigits && (bytes[begin] !== byteOf.zero || whole === 1);
    const hasForm = isShort && (point < 0 || places > 0) && bytes[end] !== byteOf.e && bytes[end] !== byteOf.capitalE;
    if (!hasForm) return this.#longNumber();
    this.#at = end;
    const absolute = value / powersOfTen[places]!;
    return negative ? -absolute : absolute;
  }

  #longNumber(): number {
    numberSigns.lastIndex = this.#at;
    const written = numberSigns.exec(this.#text)?.[0] ?? '';
    const form = numberForm.exec(written);
    const value = Number(written);
    const isInteger = form?.[1] === undefined && form?.[2] === undefined;
    if (!form || !Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value))) throw notRead;
    this.#at += written.length;
    return value;
  }

  /** Called for a schema that a reader does not know. */
  stop(): never {
    throw notRead;
  }

  /** Throws when anything but white space follows. */
  end(): void {
    if (this.#next() !== undefined) throw notRead;
  }

  /** Moves to the next byte that is not white space and returns it; undefined at the end. */
  #next(): number | undefined {
    let byte = this.bytes[this.#at];
    while (byte !== undefined && byte <= byteOf.space && isWhiteSpace(byte)) byte = this.bytes[++this.#at];
    return byte;
  }

  #expect(byte: number): void {
    if (this.#next() !== byte) throw notRead;
    this.#at++;
  }

  #take(word: Uint8Array): boolean {
    if (!this.isAt(this.#at, word)) return false;
    this.#at += word.length;
    return true;
  }
}

function isWhiteSpace(byte: number): boolean {
  const breaksLine = byte === byteOf.lineFeed || byte === byteOf.carriageReturn;
  return breaksLine || byte === byteOf.space || byte === byteOf.tab;
}

function parseString(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw notRead;
  }
}
