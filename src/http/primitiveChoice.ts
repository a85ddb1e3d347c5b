// Rewrites a choice among primitive types, so that a validator looks at a value once and not once for each branch.
import type { Schema } from '../platform/json/schema.ts';

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
