// The parts of a JSON schema that this service reads itself. Ajv compiles the rest.
import type { FieldError, LimitUnit } from '../errors.ts';
import { isStorableText } from '../inputRules.ts';
import { byteOf } from './jsonBytes.ts';
import { fieldPath, type LongInteger, maxFields } from './readJson.ts';

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  'x-limit-unit'?: LimitUnit;
  /** Of an object that is stored as its text: the most bytes of that text in UTF-8. */
  'x-max-stored-bytes'?: number;
  [keyword: string]: unknown;
}

// Rewrites a choice among primitive types, so that a validator looks at a value once and not once for each branch.

const primitives = ['string', 'number', 'boolean'];

/**
 * The same schema, with each `oneOf` of different primitive types as one list of types: the keywords of a string do not
 * apply to a number. Every property's value is such a choice: this takes a third off validation.
 */
export function withPrimitiveChoices<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withPrimitiveChoices) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.entries(part).map(([name, value]) => [name, withPrimitiveChoices<unknown>(value)] as const);
  const { oneOf, ...rest } = Object.fromEntries(inner) as Schema;
  if (!isPrimitiveChoice(oneOf) || 'type' in rest) return (oneOf === undefined ? rest : { ...rest, oneOf }) as Part;
  return { ...Object.assign({}, ...oneOf), ...rest, type: oneOf.map(({ type }) => type) } as Part;
}

function isPrimitiveChoice(choice: unknown): choice is { type: string }[] {
  if (!Array.isArray(choice)) return false;
  const types = (choice as Schema[]).map(({ type }) => type ?? '');
  // Beside the list of types, `nullable`, `enum` and other keywords would apply to a value of every type.
  const own = (choice as Schema[]).every((each) => Object.keys(each).every((name) => ownKeywords.includes(name)));
  return own && types.every((type) => primitives.includes(type)) && new Set(types).size === types.length;
}

const ownKeywords = ['type', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum'];

// Walks over the strings of a body that the service would store. It does not visit members that the contract does not name.

export interface KnownText {
  text: string;
  /** Keys and indexes from the body's root. Valid only until the walk continues. */
  at: readonly (string | number)[];
  /** True for the key of a member, which is then the last segment of `at`. */
  isKey: boolean;
  /** Replaces the string by another value. */
  replace: (value: unknown) => void;
}

type Container = Record<string | number, unknown>;

/** The walk ends when `see` returns true. */
export function visitKnownText(schema: Schema, body: unknown, see: (found: KnownText) => boolean): void {
  const at: (string | number)[] = [];

  function visitMember(member: Schema | undefined, container: Container, key: string | number): boolean {
    at.push(key);
    const ended = visit(member, container, key);
    at.pop();
    return ended;
  }

  function visit(schema: Schema | undefined, container: Container, key: string | number): boolean {
    const value = container[key];
    if (typeof value === 'string') {
      const replace = (other: unknown) =>
        Object.defineProperty(container, key, { value: other, enumerable: true, writable: true, configurable: true });
      return see({ text: value, at, isKey: false, replace });
    }
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) {
      if (schema && schema.type !== 'array') return false;
      // The code below reads and writes arrays by key, too.
      return value.some((_, index) => visitMember(schema?.items, value as unknown as Container, index));
    }
    return visitObject(schema, value as Container);
  }

  /** Without a schema, and where every member is kept, the keys are stored, too. */
  function visitObject(schema: Schema | undefined, value: Container): boolean {
    const keepsAll = !schema || schema['additionalProperties'] === true;
    for (const name of Object.keys(value)) {
      const known = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (!known && !keepsAll) continue;
      if (!known && see({ text: name, at: [...at, name], isKey: true, replace: () => undefined })) return true;
      if (visitMember(known, value, name)) return true;
    }
    return false;
  }

  visitObject(schema, body as Container);
}

// Makes integers beyond 2^53 − 1 (a native SDK's Int64) bigint values: JSON.parse alone would round them.

/** A string that begins with NUL: none of a body that has passed its checks does. */
const opening = Buffer.from('"\\u0000');

export interface ExactReading {
  bytes: Buffer;
  value: unknown;
  longIntegers: LongInteger[];
  schema: Schema;
}

/**
 * Only for a body that has passed its checks: the only fields with such an integer are then property values, which are kept as
 * they were sent. The integers become marked strings in the text, JSON.parse reads it again, and the strings are replaced.
 * A tree of positions took 4 s for 8 MiB.
 */
export function withExactIntegers({ bytes, value, longIntegers, schema }: ExactReading): unknown {
  if (longIntegers.length === 0) return value;
  const exact: unknown = JSON.parse(withMarkedIntegers(bytes, longIntegers));
  visitKnownText(schema, exact, ({ text, isKey, replace }) => {
    if (!isKey && text.startsWith('\0')) replace(BigInt(text.slice(1)));
    return false;
  });
  return exact;
}

/** Byte by byte: a copy of each piece took four times as long, and a text of each ten times. */
function withMarkedIntegers(bytes: Buffer, longIntegers: LongInteger[]): string {
  const marked = Buffer.allocUnsafe(bytes.length + longIntegers.length * (opening.length + 1));
  let [next, written] = [0, 0];
  for (let read = 0; read < bytes.length; read++) {
    const integer = longIntegers[next];
    if (read === integer?.start) for (const byte of opening) marked[written++] = byte;
    marked[written++] = bytes[read]!;
    if (integer && read === integer.end - 1) {
      marked[written++] = byteOf.quote;
      next += 1;
    }
  }
  return marked.toString('utf8');
}

// Finds text that PostgreSQL refuses or changes, NUL and lone surrogates, wherever the service would store it.

// Raw NUL is not JSON, and raw surrogates are not UTF-8: only an escape can bring them in.
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i;

/** At most a hundred fields. The first line settles almost every body. `body` is the parsed value of `text`. */
export function unstorableText(text: string, body: unknown, schema: Schema): FieldError[] {
  if (!text.includes('\\u') || !suspiciousEscape.test(text)) return [];
  const fields: FieldError[] = [];
  visitKnownText(schema, body, (found) => {
    if (!isStorableText(found.text)) {
      const message = found.isKey ? 'is a key with NUL or a lone surrogate' : 'must not hold NUL or lone surrogates';
      fields.push({ path: fieldPath(found.at), message });
    }
    return fields.length >= maxFields;
  });
  return fields;
}

// Finds objects of a body that are longer than they may be stored: those that are kept as their text (openapi.yaml, "Limits").

/** Made once for each schema. `bytes` are those of the whole text: a short body needs no further look. */
export function compileOverlongObjects(schema: Schema): (text: string, bytes: number) => FieldError[] {
  const limits = limitsOf(schema);
  const paths = limits.map(({ path }) => path);
  const least = Math.min(...limits.map(({ most }) => most));
  return (text, bytes) => {
    if (bytes <= least) return [];
    const texts = objectTexts(text, paths);
    return limits.flatMap(({ path, most }) => {
      const found = texts.get(path) ?? '';
      if (isEmpty.test(found) || Buffer.byteLength(found) <= most) return [];
      return [{ path, message: `must have at most ${most.toLocaleString('en')} bytes of JSON text in UTF-8` }];
    });
  };
}

/** Without a member nothing is stored, however much white space there is. */
const isEmpty = /^\{\s*\}$/;

interface Limit {
  path: string;
  most: number;
}

function limitsOf(schema: Schema, at: string[] = []): Limit[] {
  const most = schema['x-max-stored-bytes'];
  const own = most === undefined ? [] : [{ path: fieldPath(at), most }];
  const members = Object.entries(schema.properties ?? {});
  return [...own, ...members.flatMap(([name, member]) => limitsOf(member, [...at, name]))];
}

// Cuts objects out of a JSON text as they were sent, to the byte.

/**
 * The texts of the objects at these paths (`attribution.provider_a`), by their path. Of a repeated key the last object
 * counts. `text` is valid JSON, of any value. The library's visitor took 1 s for 8 MiB of white space, which are 8 kB on the
 * wire.
 */
export function objectTexts(text: string, paths: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const isAbove = (path: string): boolean => paths.some((wanted) => wanted.startsWith(`${path}.`));
  /** `start` is an opening brace. Returns the offset behind the closing one. */
  function readObject(start: number, keys: readonly string[]): number {
    let at = afterSpace(text, start + 1);
    while (text[at] !== '}') {
      const endOfKey = afterString(text, at);
      const begin = afterSpace(text, afterSpace(text, endOfKey) + 1);
      const own = [...keys, JSON.parse(text.slice(at, endOfKey)) as string];
      const end = readMember(begin, own);
      at = afterSpace(text, end);
      if (text[at] === ',') at = afterSpace(text, at + 1);
    }
    return at + 1;
  }
  function readMember(begin: number, keys: readonly string[]): number {
    if (text[begin] !== '{') return afterValue(text, begin);
    const path = fieldPath(keys);
    if (isAbove(path)) return readObject(begin, keys);
    const end = afterValue(text, begin);
    if (paths.includes(path)) texts.set(path, text.slice(begin, end));
    return end;
  }
  const start = afterSpace(text, 0);
  if (text[start] === '{') readObject(start, []);
  return texts;
}

const code = (character: string): number => character.charCodeAt(0);
const [space, quote, backslash, comma] = [code(' '), code('"'), code('\\'), code(',')] as const;
const [openBracket, closeBracket, openBrace, closeBrace] = [code('['), code(']'), code('{'), code('}')] as const;

/** Valid JSON has no other character up to the space outside of its strings than its white space. */
function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= space) at += 1;
  return at;
}

/** `start` is the first quote. */
function afterString(text: string, start: number): number {
  let at = start + 1;
  for (let one = text.charCodeAt(at); one !== quote; one = text.charCodeAt(at)) at += one === backslash ? 2 : 1;
  return at + 1;
}

function afterValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const one = text.charCodeAt(at);
    if (one === quote) at = afterString(text, at);
    else if (depth === 0 && (one === comma || one === closeBrace || one <= space)) return at;
    else {
      at += 1;
      if (one === openBrace || one === openBracket) depth += 1;
      else if (one === closeBrace || one === closeBracket) depth -= 1;
      else continue;
    }
    if (depth === 0) return at;
  }
}
