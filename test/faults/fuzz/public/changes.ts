// Changes to one node of a valid body: values at the very edge of its schema, and values that break the schema in one place.
import { RawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { blankTexts, noInstants, unstorableTexts } from '../texts.ts';
import { choicesOf, type JsonSchema } from './schema.ts';

export type Segments = readonly (string | number)[];
type Unit = { unit: string; limit: number };

export interface Sample {
  value: unknown;
  /** The place of the fault below the node, if the node itself is valid. */
  below?: Segments;
}

export interface Change {
  name: string;
  /** The outcome for the whole body: `accepted`, `refused` at the node, or a count over its limit. */
  outcome: 'accepted' | 'refused' | Unit;
  /** Values that replace the node; `value` is the node's own, undefined when it is absent. */
  samples(value: unknown): Sample[];
}

export function changesOf(schema: JsonSchema): Change[] {
  const { type, nullable } = schema;
  const own = type === undefined ? choicesOf(schema).flatMap(ownChanges) : ownChanges(schema);
  const wrong = wrongTypes(schema);
  return [
    refused('wrong type', wrong),
    ...(nullable ? [accepted('null', [null])] : []),
    // Of a branch of a choice, only the wrong types: they are wrong for the other branches too, which accept other types.
    ...own.filter(({ name }, index) => own.findIndex((other) => other.name === name) === index),
  ];
}

export function refused(name: string, values: readonly unknown[]): Change {
  return { name, outcome: 'refused', samples: () => values.map((value) => ({ value })) };
}

export function accepted(name: string, values: readonly unknown[]): Change {
  return { name, outcome: 'accepted', samples: () => values.map((value) => ({ value })) };
}

const oneOfEachType: [string, unknown][] = [
  ['null', null],
  ['boolean', true],
  ['boolean', false],
  ['number', 7],
  ['number', new RawJson('0.5')],
  ['number', new RawJson('9007199254740993')],
  ['string', 'text'],
  ['string', '1'],
  ['array', []],
  ['array', [1]],
  ['array', [{}]],
  ['object', {}],
  ['object', { length: 1, id: 'x' }],
];

function wrongTypes(schema: JsonSchema): unknown[] {
  const types = schema.type ? [schema] : choicesOf(schema);
  const allowed = types.map(({ type = '' }) => (type === 'integer' ? 'number' : type));
  const nullable = schema.nullable || types.some((each) => each.nullable);
  return oneOfEachType
    .filter(([type]) => !allowed.includes(type) && !(type === 'null' && nullable))
    .map(([, value]) => value);
}

function ownChanges(schema: JsonSchema): Change[] {
  if (schema.type === 'string') return textChanges(schema);
  if (schema.type === 'number' || schema.type === 'integer') return numberChanges(schema);
  if (schema.type === 'array') return arrayChanges(schema);
  return [];
}

const rocket = '\u{1f680}';

function textChanges({ enum: words, minLength = 0, maxLength, pattern, format }: JsonSchema): Change[] {
  const changes = [refused('unstorable', unstorableTexts)];
  if (words) {
    const others = [...words.map((word) => word.toUpperCase()), ...words.map((word) => `${word} `), '', 'x', '0'];
    return [
      ...changes,
      refused(
        'not in enum',
        others.filter((word) => !words.includes(word)),
      ),
    ];
  }
  if (format === 'date-time') return [...changes, ...instantChanges(maxLength)];
  if (maxLength !== undefined) {
    const texts = (length: number) => ['x'.repeat(length), rocket.repeat(length)];
    changes.push(refused('too long', texts(maxLength + 1)), accepted('as long as may be', texts(maxLength)));
  }
  if (minLength > 0) changes.push(refused('too short', ['x'.repeat(minLength - 1)]));
  if (pattern !== undefined) changes.push(refused('not of the pattern', outside(pattern)));
  else if (minLength === 0) changes.push(accepted('blank', blankTexts));
  return changes;
}

function outside(pattern: string): string[] {
  const form = new RegExp(pattern, 'u');
  const texts = [...blankTexts, 'x'.repeat(100), '?', 'ä', '-'].filter((text) => !form.test(text));
  if (texts.length === 0) throw new Error(`the fuzzer has no text that breaks the pattern ${pattern}`);
  return texts;
}

function instantChanges(maxLength: number | undefined): Change[] {
  const changes = [refused('no instant', noInstants)];
  if (maxLength === undefined) return changes;
  const long = (length: number) => `2026-09-10T02:10:00.${'9'.repeat(length - 21)}Z`;
  return [...changes, refused('too long', [long(maxLength + 1)]), accepted('as long as may be', [long(maxLength)])];
}

function numberChanges({ type, minimum, maximum }: JsonSchema): Change[] {
  const raw = (texts: string[]) => texts.map((text) => new RawJson(text));
  const changes = [refused('not finite', raw(['1e400', '-1e400', `1${'0'.repeat(400)}`]))];
  // Above 2^53 a double cannot express the next integer.
  const next = (bound: number, sign: -1 | 1) => [
    String(BigInt(bound) + BigInt(sign)),
    ...(type === 'integer' ? [] : [String(bound + sign / 1_000)]),
  ];
  if (type === 'integer') changes.push(refused('not whole', raw(['0.5', '1.0000001', '1e-3'])));
  if (minimum !== undefined)
    changes.push(refused('below the minimum', raw(next(minimum, -1))), accepted('the minimum', [minimum]));
  if (maximum !== undefined)
    changes.push(refused('above the maximum', raw(next(maximum, 1))), accepted('the maximum', [maximum]));
  return changes;
}

function arrayChanges({ minItems = 0, maxItems, ...schema }: JsonSchema): Change[] {
  const unit = schema['x-limit-unit'];
  const changes: Change[] = [];
  if (minItems > 0) changes.push(refused('too few', [Array(minItems - 1).fill(null)]));
  if (maxItems === undefined) return changes;
  // The service checks the counts of the whole upload before anything else.
  const tooMany: Change = unit
    ? { ...refused('too many', [Array(maxItems + 1).fill(null)]), outcome: { unit, limit: maxItems } }
    : { name: 'too many', outcome: 'refused', samples: (value) => full(value, maxItems + 1) };
  changes.push(tooMany);
  changes.push({ name: 'as many as may be', outcome: 'accepted', samples: (value) => full(value, maxItems) });
  return changes;
}

/** Far below the limit of bytes, so that only the count is at its limit. */
function full(value: unknown, length: number): Sample[] {
  const [item] = Array.isArray(value) ? (value as unknown[]) : [];
  const fits = item !== undefined && JSON.stringify(item).length * length < 1_500_000;
  return fits ? [{ value: Array(length).fill(item) }] : [];
}
