// Writes rows in the binary format of COPY (PostgreSQL's documentation of COPY, "Binary Format"), one column after the other.
import type { WrittenObject } from '../json/propertyJson.ts';

const head = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const twoTo32 = 4_294_967_296;
/** PostgreSQL's times begin with the year 2000. */
const epoch = { days: 10_957, seconds: 946_684_800 };

const digits = new Uint8Array(128).fill(255);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/**
 * The method of a type writes a column of it. A value that the type cannot hold throws, since PostgreSQL stores these bytes as
 * they are. 1.07 times the events a second of the text format (docs/decisions/transaction-pipeline.md).
 */
export class BinaryRows {
  #bytes: Buffer;
  #at: number;

  /** The buffer does not grow for rows of at most `expected` bytes. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected + head.length + 2);
    this.#at = head.copy(this.#bytes);
  }

  /** The bytes written so far. */
  get length(): number {
    return this.#at;
  }

  /** Begins a row with this number of columns. */
  row(columns: number): void {
    this.#grow(2);
    this.#int16(columns);
  }

  /** Writes the bytes between two lengths once more, for rows that begin alike. */
  repeat(start: number, end: number): void {
    this.#grow(end - start);
    this.#bytes.copyWithin(this.#at, start, end);
    this.#at += end - start;
  }

  null(): void {
    this.#grow(4);
    this.#int32(-1);
  }

  boolean(value: boolean): void {
    this.#column(1);
    this.#bytes[this.#at++] = value ? 1 : 0;
  }

  smallint(value: number): void {
    this.#column(2);
    this.#int16(value);
  }

  bigint(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError('no integer that a double holds');
    this.#column(8);
    this.#int64(value);
  }

  /** Days since 1970. */
  date(days: number): void {
    if (!Number.isInteger(days)) throw new RangeError('no whole number of days');
    this.#column(4);
    this.#int32(days - epoch.days);
  }

  /** Unix seconds with a fraction, to the nearest microsecond. */
  timestamptz(seconds: number): void {
    if (!Number.isFinite(seconds)) throw new RangeError('no number of seconds');
    const whole = Math.floor(seconds);
    const micros = Math.round((seconds - whole) * 1e6);
    const since2000 = (whole - epoch.seconds) * 1e6 + micros;
    this.#column(8);
    if (Number.isSafeInteger(since2000)) this.#int64(since2000);
    // Before 1714 and after 2285 a double does not hold every microsecond.
    else this.#bytes.writeBigInt64BE(BigInt(whole - epoch.seconds) * 1_000_000n + BigInt(micros), (this.#at += 8) - 8);
  }

  /** In lower case with hyphens. */
  uuid(text: string): void {
    this.#column(16);
    if (!this.#sixteen(text)) throw new RangeError('no UUID');
  }

  bytes(value: Uint8Array): void {
    this.#column(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Writes a byte and the sixteen bytes of a UUID in lower case. Writes nothing, and returns false, for any other text. */
  taggedUuid(tag: number, text: string): boolean {
    const start = this.#at;
    this.#column(17);
    this.#bytes[this.#at++] = tag;
    if (text.length === 36 && this.#sixteen(text)) return true;
    this.#at = start;
    return false;
  }

  text(value: string): void {
    this.#column(value.length);
    const start = this.#at;
    if (this.#ascii(value)) return;
    this.#utf8(value);
    this.#sized(start);
  }

  /** A `jsonb` value, behind one byte with the version of the format. */
  jsonb({ bytes: source, start, end }: WrittenObject): void {
    this.#column(1 + end - start);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = 1;
    // Byte by byte: most are short, and a Buffer's own method takes as long as forty bytes.
    for (let from = start; from < end; from++) bytes[at++] = source[from]!;
    this.#at = at;
  }

  /** All rows, as COPY takes them. */
  end(): Buffer {
    this.#grow(2);
    this.#int16(-1);
    return this.#bytes.subarray(0, this.#at);
  }

  /** Writes nothing, and returns false, where a character takes more than a byte. */
  #ascii(text: string): boolean {
    this.#grow(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.#at = at;
    return true;
  }

  #utf8(text: string): void {
    this.#grow(text.length * 3);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** Writes the size of the column that began at `start`. */
  #sized(start: number): void {
    const end = this.#at;
    this.#at = start - 4;
    this.#int32(end - start);
    this.#at = end;
  }

  #column(size: number): void {
    this.#grow(4 + size);
    this.#int32(size);
  }

  #grow(room: number): void {
    if (this.#at + room <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + room));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  // Byte by byte: a Buffer's own methods check their arguments each time.
  #int16(value: number): void {
    this.#bytes[this.#at++] = value >> 8;
    this.#bytes[this.#at++] = value;
  }

  #int32(value: number): void {
    const bytes = this.#bytes;
    const at = this.#at;
    bytes[at] = value >> 24;
    bytes[at + 1] = value >> 16;
    bytes[at + 2] = value >> 8;
    bytes[at + 3] = value;
    this.#at = at + 4;
  }

  #int64(value: number): void {
    const high = Math.floor(value / twoTo32);
    this.#int32(high);
    this.#int32(value - high * twoTo32);
  }

  #sixteen(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    let all = 0;
    for (let i = 0; i < 36; i += 2) {
      if ((i === 8 || i === 13 || i === 18 || i === 23) && text.charCodeAt(i++) !== 45) return false;
      const high = digits[text.charCodeAt(i)] ?? 255;
      const low = digits[text.charCodeAt(i + 1)] ?? 255;
      all |= high | low;
      bytes[at++] = (high << 4) | low;
    }
    if (all > 15 || text.length !== 36) return false;
    this.#at = at;
    return true;
  }
}
