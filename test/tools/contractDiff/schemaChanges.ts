// Compares one schema of openapi.yaml: a request must not accept less, and a response must not promise less.
// These are the rules of openapi.yaml, "Versioning".
import { breaking, compatible, paired, same, type Change, type Sides } from './change.ts';

export type Direction = 'request' | 'response';

/** The keywords that are compared by their meaning. Every other keyword except the texts must stay the same. */
export interface Schema {
  nullable?: boolean;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  pattern?: string;
  [keyword: string]: unknown;
}

export interface Pair extends Sides<Schema> {
  direction: Direction;
}

const texts = ['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated'];
const upperBounds = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const lowerBounds = ['minimum', 'minLength', 'minItems', 'minProperties'];
const understood = ['nullable', 'enum', 'required', 'properties', 'additionalProperties', 'items', 'oneOf', 'pattern'];
const compared = [...texts, ...upperBounds, ...lowerBounds, ...understood];

export function schemaChanges(pair: Pair): Change[] {
  const rules = [
    nullability,
    values,
    bounds,
    patterns,
    requirements,
    openness,
    properties,
    items,
    choices,
    otherKeywords,
  ];
  return rules.flatMap((rule) => rule(pair));
}

/** `accepts` says whether the set of values grew or shrank. A request must not lose values, a response not gain any. */
function judged({ at, direction }: Pair, what: string, accepts: 'more' | 'less'): Change {
  return { at, what, breaking: (direction === 'request') === (accepts === 'less') };
}

function nullability(pair: Pair): Change[] {
  const [was, is] = [pair.was.nullable ?? false, pair.is.nullable ?? false];
  return was === is ? [] : [judged(pair, is ? 'may be null now' : 'may not be null any more', is ? 'more' : 'less')];
}

/** An enum may gain values: openapi.yaml, "Versioning". A removed value breaks clients that send it or expect it. */
function values(pair: Pair): Change[] {
  const { at, was, is } = pair;
  if (!was.enum && !is.enum) return [];
  if (!was.enum) return [judged(pair, 'has a list of values now', 'less')];
  if (!is.enum) return [judged(pair, 'has no list of values any more', 'more')];
  const gone = was.enum.filter((value) => !is.enum!.includes(value));
  const added = is.enum.filter((value) => !was.enum!.includes(value));
  return [
    ...gone.map((value) => breaking(at, `the value ${JSON.stringify(value)} was removed`)),
    ...added.map((value) => compatible(at, `the value ${JSON.stringify(value)} was added`)),
  ];
}

function bounds(pair: Pair): Change[] {
  const ofKeyword = (keyword: string, none: number) => {
    const bound = (schema: Schema) => (schema[keyword] as number | undefined) ?? none;
    const [was, is] = [bound(pair.was), bound(pair.is)];
    if (was === is) return [];
    return [judged(pair, `${keyword} went from ${was} to ${is}`, is > was === none > 0 ? 'more' : 'less')];
  };
  return [
    ...upperBounds.flatMap((keyword) => ofKeyword(keyword, Infinity)),
    ...lowerBounds.flatMap((keyword) => ofKeyword(keyword, -Infinity)),
  ];
}

/** A changed pattern is breaking, because the check cannot tell which of the two matches more. */
function patterns(pair: Pair): Change[] {
  const { was, is, at } = pair;
  if (was.pattern === is.pattern) return [];
  if (was.pattern === undefined) return [judged(pair, 'has a pattern now', 'less')];
  if (is.pattern === undefined) return [judged(pair, 'has no pattern any more', 'more')];
  return [breaking(at, 'its pattern was changed')];
}

function requirements(pair: Pair): Change[] {
  const [was, is] = [pair.was.required ?? [], pair.is.required ?? []];
  // `properties` reports a property that was removed altogether.
  const dropped = was.filter((name) => !is.includes(name) && pair.is.properties?.[name]);
  const added = is.filter((name) => !was.includes(name));
  return [
    ...dropped.map((name) => judged(pair, `${name} is not required any more`, 'more')),
    ...added.map((name) => judged(pair, `${name} is required now`, 'less')),
  ];
}

function openness(pair: Pair): Change[] {
  const [was, is] = [pair.was.additionalProperties ?? true, pair.is.additionalProperties ?? true];
  if (same(was, is)) return [];
  if (typeof was !== 'boolean' || typeof is !== 'boolean')
    return [breaking(pair.at, 'its further properties were changed')];
  const what = is ? 'takes further properties now' : 'takes no further properties any more';
  return [judged(pair, what, is ? 'more' : 'less')];
}

/** A removed property is breaking in both directions: the server would silently ignore the value in a request. */
function properties({ at, was, is, direction }: Pair): Change[] {
  const pairs = paired({ at, was: was.properties, is: is.properties }, (name) => `${at}.${name}`);
  return pairs.flatMap((pair) => {
    if (!pair.is) return [breaking(pair.at, 'was removed')];
    if (!pair.was) return [compatible(pair.at, 'was added')];
    return schemaChanges({ at: pair.at, was: pair.was, is: pair.is, direction });
  });
}

function items({ at, was, is, direction }: Pair): Change[] {
  if (was.items && is.items) return schemaChanges({ at: `${at}[]`, was: was.items, is: is.items, direction });
  return same(was.items, is.items) ? [] : [breaking(at, 'its items were changed')];
}

/** Pairs the branches of a `oneOf` by type. A removed or added branch changes the type in every generated client. */
function choices({ at, was, is, direction }: Pair): Change[] {
  const byType = (branches: Schema[] = []) => Object.fromEntries(branches.map((one) => [String(one['type']), one]));
  const pairs = paired({ at, was: byType(was.oneOf), is: byType(is.oneOf) }, (type) => `${at}|${type}`);
  return pairs.flatMap((pair) => {
    if (!pair.is) return [breaking(at, `may not be ${pair.name} any more`)];
    if (!pair.was) return [breaking(at, `may be ${pair.name} now`)];
    return schemaChanges({ at: pair.at, was: pair.was, is: pair.is, direction });
  });
}

/** Mainly `type` and `format`. A change gives generated clients another type, even where the new one accepts more. */
function otherKeywords({ at, was, is }: Pair): Change[] {
  const text = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value));
  return paired<unknown>({ at, was, is })
    .filter((pair) => !compared.includes(pair.name) && !same(pair.was, pair.is))
    .map((pair) => breaking(at, `${pair.name} went from ${text(pair.was)} to ${text(pair.is)}`));
}
