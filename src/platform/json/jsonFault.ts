// Finds where bytes stop being JSON in UTF-8, for the message of a body that cannot be read (openapi.yaml, "Paths in `fields`").
import { byteOf } from './jsonSigns.ts';

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

function isDigit(byte: number): boolean {
  return byte >= byteOf.zero && byte <= byteOf.nine;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
