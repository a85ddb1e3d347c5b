// The one place where properties become the JSON object that is stored of them.
import { byteOf } from './jsonSigns.ts';

export type PropertyValue = string | number | bigint | boolean;
export type EventParams = ReadonlyMap<string, PropertyValue>;

export interface Property {
  name: string;
  value: PropertyValue;
}

/** A later value of a name replaces an earlier one. */
export function propertyMap(properties: readonly Property[]): EventParams {
  return new Map(properties.map(({ name, value }) => [name, value]));
}

/** The UTF-8 of one JSON object, in bytes that hold other objects as well. */
export class WrittenObject {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /** In bytes. */
  get length(): number {
    return this.end - this.start;
  }

  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}

/**
 * Writes the properties of an upload, one object behind the other. Of two values of one name both are written, and `jsonb`
 * keeps the last. Written by hand, so that a property named `__proto__` is a property like any other and a bigint keeps its
 * digits. What waits for its transaction is then one object for each event and not each name and value: copying those in
 * memory took the collector a fourth of the service's processor time (docs/decisions/upload-reading.md).
 */
export class PropertyWriter {
  #bytes: Buffer;
  #at = 0;

  /** There is room for `expected` bytes at first. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  write(properties: readonly Property[]): WrittenObject {
    let start = this.#at;
    this.#at = this.#members(properties, start);
    while (this.#at > this.#bytes.length) {
      // What was written before stays where it is.
      this.#bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length, 2 * (this.#at - start)));
      start = 0;
      this.#at = this.#members(properties, start);
    }
    return new WrittenObject(this.#bytes, start, this.#at);
  }

  /** Returns where the object ends. That is behind the bytes where they have no room for it: nothing is written there. */
  #members(properties: readonly Property[], start: number): number {
    const bytes = this.#bytes;
    let at = start;
    bytes[at++] = byteOf.openBrace;
    for (let index = 0; index < properties.length; index++) {
      const { name, value } = properties[index]!;
      if (index > 0) bytes[at++] = byteOf.comma;
      at = writeString(bytes, at, name);
      bytes[at++] = byteOf.colon;
      at = typeof value === 'string' ? writeString(bytes, at, value) : writeAscii(bytes, at, String(value));
    }
    bytes[at++] = byteOf.closeBrace;
    return at;
  }
}

/** Most strings are short and need no escape. JSON.stringify writes the others, lone surrogates included. */
function writeString(bytes: Buffer, start: number, text: string): number {
  let at = start;
  bytes[at++] = byteOf.quote;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isPlain = code >= byteOf.space && code < 0x80 && code !== byteOf.quote && code !== byteOf.backslash;
    if (!isPlain) return writeUtf8(bytes, start, JSON.stringify(text));
    bytes[at++] = code;
  }
  bytes[at++] = byteOf.quote;
  return at;
}

function writeAscii(bytes: Buffer, start: number, text: string): number {
  let at = start;
  for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
  return at;
}

function writeUtf8(bytes: Buffer, start: number, text: string): number {
  const length = Buffer.byteLength(text);
  if (start + length <= bytes.length) bytes.write(text, start);
  return start + length;
}

/** The object of one list alone, as a text. */
export function propertyJson(properties: readonly Property[]): string {
  return new PropertyWriter(64 + 32 * properties.length).write(properties).toString();
}
