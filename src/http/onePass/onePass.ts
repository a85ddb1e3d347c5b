// Compiles a schema of openapi.yaml into a reader that parses and checks a body of only the schema's members in one pass.
import { isUtf8 } from 'node:buffer';
import type { Ajv } from 'ajv';
import { isStorableText } from '../../platform/inputRules.ts';
import { byteOf, endOfString } from '../../platform/json/jsonBytes.ts';
import { type Schema, withPrimitiveChoices } from '../../platform/json/schema.ts';

/**
 * The value of a valid JSON text, equal to the value of JSON.parse. It is undefined for any other text: no JSON, not
 * valid, longer than `mostBytes`, or with a form that the cursor does not read. Members that the schema does not name
 * and repeated members give undefined too. JSON.parse and the list of faults then find the fault.
 */
export type OnePass = (bytes: Buffer) => unknown;

/**
 * Strings cut from the text keep all of it in memory, where JSON.parse makes copies: 13 MiB for the 208 uploads that
 * may have rows.
 */
const mostBytes = 64 * 1024;

/** `forms` check formats of strings in their bytes. Ajv must know these formats, too. */
export function compileOnePass(ajv: Ajv, schema: Schema, forms: Record<string, ByteForm> = {}): OnePass {
  const read = new ReaderSource(ajv, forms).compile(withPrimitiveChoices(schema));
  return (bytes) => {
    if (bytes.length > mostBytes) return undefined;
    try {
      const cursor = new JsonCursor(bytes);
      const value = read(cursor);
      cursor.end();
      return value;
    } catch (error) {
      if (error === notRead) return undefined;
      throw error;
    }
  };
}

type Reader = (cursor: JsonCursor) => unknown;

/**
 * Writes code, as Ajv does: each object is made at once with all its required members, and no key is looked up. Closures
 * over the schema took as long as JSON.parse and all checks do (docs/decisions/one-pass-reader.md).
 */
class ReaderSource {
  readonly #ajv: Ajv;
  readonly #forms: Record<string, ByteForm>;
  readonly #functions: string[] = [];
  /** The code calls these by their place in the list. */
  readonly #parts: unknown[] = [];
  /** The name of each check by its schema: many members share one. */
  readonly #checks = new Map<string, string>();

  constructor(ajv: Ajv, forms: Record<string, ByteForm>) {
    this.#ajv = ajv;
    this.#forms = forms;
  }

  compile(schema: Schema): Reader {
    const value = this.#reading(schema);
    const body = `'use strict';\n${this.#functions.join('\n')}\nreturn (cursor) => ${value};`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- of openapi.yaml alone, each of its names quoted
    const make = new Function('notRead', 'isVisible', 'parts', body) as (...parts: unknown[]) => Reader;
    return make(notRead, isVisible, this.#parts);
  }

  /** An expression that reads the next value at the cursor. */
  #reading(schema: Schema): string {
    if (schema.type === 'string' && schema['nullable'] !== true) return this.#string(schema);
    const typed = this.#typed(schema);
    const value = schema['nullable'] === true ? `cursor.null() ? null : ${typed}` : typed;
    const isChecked = schema.type === 'integer' || Object.keys(leftToAjv(schema)).length > 0;
    return isChecked ? this.#checked(value, `${this.#check(schema)}(value)`) : `(${value})`;
  }

  /** The bytes of a string, or its first character, settle most checks. */
  #string(schema: Schema): string {
    const left = leftToAjv(schema);
    const asked = Object.keys(left).join();
    const form = this.#forms[String(left['format'])];
    const words = left['enum'];
    const maxLength = Number(schema['maxLength'] ?? Infinity);
    if (asked === 'format' && form) return `cursor.formed(${maxLength}, ${this.#part(form)})`;
    if (asked === 'enum' && maxLength === Infinity && areWords(words)) return this.#word(words);
    const value = this.#typed(schema);
    if (asked === '') return value;
    const isEnough = asksForVisible(left) ? 'isVisible(value.charCodeAt(0)) || ' : '';
    return this.#checked(value, `${isEnough}${this.#check(schema)}(value)`);
  }

  #word(words: string[]): string {
    const written = words.map((text) => ({ text, written: Buffer.from(JSON.stringify(text)) }));
    return `cursor.word(${this.#part(written)})`;
  }

  #checked(value: string, passes: string): string {
    return this.#function(`const value = ${value};
  if (!(${passes})) throw notRead;
  return value;`);
  }

  /** The name of a check that Ajv compiles. */
  #check({ type, nullable, ...others }: Schema): string {
    const key = JSON.stringify({ type, nullable, ...leftToAjv(others) });
    const known = this.#checks.get(key) ?? this.#part(this.#ajv.compile(JSON.parse(key) as Schema));
    this.#checks.set(key, known);
    return known;
  }

  #typed(schema: Schema): string {
    const maxLength = Number(schema['maxLength'] ?? Infinity);
    switch (String(schema.type)) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'string':
        return `cursor.string(${maxLength})`;
      case 'number':
      case 'integer':
        return 'cursor.number()';
      case 'boolean':
        return 'cursor.boolean()';
      case 'string,number,boolean':
        return `cursor.primitive(${maxLength})`;
      default:
        return 'cursor.stop()';
    }
  }

  #array({ items, minItems = 0, maxItems = Infinity }: Schema): string {
    if (!items) return 'cursor.stop()';
    const { openBracket, closeBracket } = byteOf;
    return this.#function(`const list = [];
  for (let more = cursor.open(${openBracket}, ${closeBracket}); more; more = cursor.more(${closeBracket}))
    list.push(${this.#reading(items)});
  if (list.length < ${String(minItems)} || list.length > ${maxItems}) throw notRead;
  return list;`);
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): string {
    const names = Object.keys(properties);
    const known = (required as string[]).every((name) => names.includes(name)) && !names.includes('__proto__');
    if (!known || names.length === 0 || additionalProperties !== undefined) return 'cursor.stop()';
    const { openBrace, closeBrace } = byteOf;
    const members = Object.entries(properties).map(([name, schema], index) => ({
      variable: `member${index}`,
      key: JSON.stringify(name),
      value: this.#reading(schema),
      isRequired: (required as string[]).includes(name),
    }));
    const reads = members.map(({ variable, key, value }) => {
      const bytes = [...Buffer.from(key)];
      const isKey = bytes.map((byte, offset) => `bytes[at + ${offset}] === ${byte}`).join(' && ');
      const onlyOnce = `if (${variable} !== undefined) throw notRead;`;
      return `if (${isKey}) { ${onlyOnce} cursor.toValue(at + ${bytes.length}); ${variable} = ${value}; }`;
    });
    const present = members.filter(({ isRequired }) => isRequired);
    const others = members.filter(({ isRequired }) => !isRequired);
    return this.#function(`const bytes = cursor.bytes;
  let ${members.map(({ variable }) => variable).join(', ')};
  for (let more = cursor.open(${openBrace}, ${closeBrace}); more; more = cursor.more(${closeBrace})) {
    const at = cursor.nextAt();
    ${[...reads, 'throw notRead;'].join('\n    else ')}
  }
  ${present.map(({ variable }) => `if (${variable} === undefined) throw notRead;`).join('\n  ')}
  const value = { ${present.map(({ key, variable }) => `${key}: ${variable}`).join(', ')} };
  ${others.map(({ key, variable }) => `if (${variable} !== undefined) value[${key}] = ${variable};`).join('\n  ')}
  return value;`);
  }

  /** Returns the name of `part` in the code. */
  #part(part: unknown): string {
    return `parts[${this.#parts.push(part) - 1}]`;
  }

  #function(body: string): string {
    const name = `read${this.#functions.length}`;
    this.#functions.push(`function ${name}(cursor) {\n  ${body}\n}`);
    return `${name}(cursor)`;
  }
}

/** Strings of ASCII that JSON writes without escapes, so that a client hardly ever sends another spelling. */
function areWords(values: unknown): values is string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string' && /^[\w -]*$/.test(value));
}

/** The keywords of a schema that this reading checks itself. */
const checkedHere = ['type', 'nullable', 'maxLength', 'properties', 'required', 'items', 'minItems', 'maxItems'];
/** These keywords check nothing. */
const annotations = ['description', 'example', 'x-limit-unit'];

/** The keywords that Ajv has to check; empty where there is none. */
function leftToAjv(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => ![...checkedHere, ...annotations].includes(name)),
  );
}

/** A pattern of one class of excluded characters: any other character is enough. */
const negatedClass = /^\[\^(?:\\.|[^\]\\])+\]$/;
const visible = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));

/** Whether the keywords ask only for one character of some kind, and every visible ASCII character is of that kind. */
function asksForVisible({ pattern, ...others }: Schema): boolean {
  if (typeof pattern !== 'string' || Object.keys(others).length > 0 || !negatedClass.test(pattern)) return false;
  const held = new RegExp(pattern, 'u');
  return visible.every((character) => held.test(character));
}

/** A text that begins with a visible character is not blank, as each name and id must be. The pattern takes ten times as long. */
function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

// Reads JSON values at a place in the bytes of a text. It stops at rare forms: JSON.parse then reads the text.

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
