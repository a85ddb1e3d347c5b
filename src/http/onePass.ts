// Most bodies hold what their contract names and nothing else: from its schema a reader that parses and checks them in one pass.
import type { Ajv, ValidateFunction } from 'ajv';
import type { Schema } from './bodyCheck.ts';
import { JsonCursor, notRead } from './jsonCursor.ts';
import { byteOf } from '../platform/jsonSigns.ts';
import { withPrimitiveChoices } from './primitiveChoice.ts';

/**
 * The value of a JSON text, valid and equal to what JSON.parse gives; undefined where the text is anything else: no JSON,
 * not valid, with members that the schema does not name or that stand twice, long, with what the cursor does not read.
 * Then JSON.parse and the list of faults say what it is.
 */
export type OnePass = (bytes: Buffer) => unknown;

/**
 * Strings that are cut from the text keep all of it in memory, where JSON.parse makes copies: 13 MiB for the 208 uploads
 * of which there may be rows.
 */
const mostBytes = 64 * 1024;

export function compileOnePass(ajv: Ajv, schema: Schema): OnePass {
  const read = new ReaderSource(ajv).compile(withPrimitiveChoices(schema));
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

/** What the reader sees to itself, and what says nothing of a value; all else of a schema is left to Ajv. */
const readKeywords = ['type', 'nullable', 'maxLength', 'properties', 'required', 'items', 'minItems', 'maxItems'];
const annotations = ['description', 'example', 'x-limit-unit'];

/**
 * Code, as Ajv writes it too: each object is made at once with all members that it must have, and no key is looked up.
 * Closures over the schema took as long as JSON.parse and all checks do (test/bench/README.md).
 */
class ReaderSource {
  readonly #ajv: Ajv;
  readonly #functions: string[] = [];
  /** By the schema that they check, since many members are alike. */
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(ajv: Ajv) {
    this.#ajv = ajv;
  }

  compile(schema: Schema): Reader {
    const value = this.#reading(schema);
    const body = `'use strict';\n${this.#functions.join('\n')}\nreturn (cursor) => ${value};`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- of openapi.yaml alone, each of its names quoted
    const make = new Function('notRead', 'checks', body) as (...parts: unknown[]) => Reader;
    return make(notRead, [...this.#checks.values()]);
  }

  /** An expression that reads what is next at the cursor. */
  #reading(schema: Schema): string {
    const typed = this.#typed(schema);
    const value = schema['nullable'] === true ? `cursor.null() ? null : ${typed}` : typed;
    const left = Object.entries(schema).filter(([name]) => ![...readKeywords, ...annotations].includes(name));
    if (left.length === 0 && schema.type !== 'integer') return `(${value})`;
    const check = this.#check({ type: schema.type, nullable: schema['nullable'], ...Object.fromEntries(left) });
    return this.#function(`const value = ${value};
  if (!${check}(value)) throw notRead;
  return value;`);
  }

  #check(schema: Schema): string {
    const key = JSON.stringify(schema);
    if (!this.#checks.has(key)) this.#checks.set(key, this.#ajv.compile(JSON.parse(key) as Schema));
    return `checks[${[...this.#checks.keys()].indexOf(key)}]`;
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
      return `if (${isKey}) { ${onlyOnce} cursor.behindKey(at + ${bytes.length}); ${variable} = ${value}; }`;
    });
    const present = members.filter(({ isRequired }) => isRequired);
    const others = members.filter(({ isRequired }) => !isRequired);
    return this.#function(`const bytes = cursor.bytes;
  let ${members.map(({ variable }) => variable).join(', ')};
  for (let more = cursor.open(${openBrace}, ${closeBrace}); more; more = cursor.more(${closeBrace})) {
    const at = cursor.keyAt();
    ${[...reads, 'throw notRead;'].join('\n    else ')}
  }
  ${present.map(({ variable }) => `if (${variable} === undefined) throw notRead;`).join('\n  ')}
  const value = { ${present.map(({ key, variable }) => `${key}: ${variable}`).join(', ')} };
  ${others.map(({ key, variable }) => `if (${variable} !== undefined) value[${key}] = ${variable};`).join('\n  ')}
  return value;`);
  }

  #function(body: string): string {
    const name = `read${this.#functions.length}`;
    this.#functions.push(`function ${name}(cursor) {\n  ${body}\n}`);
    return `${name}(cursor)`;
  }
}
