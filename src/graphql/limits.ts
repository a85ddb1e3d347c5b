// The limits of a document (schema.graphql, "Operations"), counted before validation.
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { access, accessOf } from './access.ts';
import { mostPairs, pairsOf } from './fieldPairs.ts';

const deepest = 10;
/** Of introspection, which `deepest` does not count. The usual query has 13 levels. */
const deepestIntrospection = 30;
const mostAliases = 15;
const mostSelections = 1_000;
/** Validation of each operation has a fixed cost of some 80 µs. */
const mostOperations = 50;
/** The library counts the lines before each error. */
const mostLines = 2_000;
/** Each costs validation some 25 µs. */
const mostVariables = 100;
const authenticationMutations = Object.keys(access.Mutation).filter(
  (field) => accessOf('Mutation', field) === 'public',
);

interface Measure {
  depth: number;
  /** With the levels of introspection. */
  levels: number;
  /** A fragment's aliases count at each spread, because each spread asks again. */
  aliases: number;
  /** Fields, inline fragments and spreads. Those of a fragment count at each spread, too. */
  selections: number;
  /** The response keys of the authentication mutations at the top level. */
  authentications: ReadonlySet<string>;
}

const nothing: Measure = { depth: 0, levels: 0, aliases: 0, selections: 0, authentications: new Set() };

class Cycle extends Error {}

/**
 * Why a document is refused; null within the limits. It takes time in proportion to the document, because it measures each
 * fragment once. A document within the limits has at most `mostSelections` with its fragments expanded.
 */
export function overLimits(document: DocumentNode): GraphQLError | null {
  try {
    const { message, nodes } = faultOf(document) ?? {};
    return message === undefined ? null : new GraphQLError(message, { nodes });
  } catch (error) {
    if (error instanceof Cycle) return new GraphQLError(error.message);
    throw error;
  }
}

interface Fault {
  message: string;
  nodes?: OperationDefinitionNode;
}

function faultOf(document: DocumentNode): Fault | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  if (operations.length > mostOperations)
    return { message: `The document has more than ${mostOperations} operations.` };
  if (hasLines(document.loc?.source.body ?? '', mostLines)) {
    return { message: `The document has more than ${mostLines} lines.` };
  }
  const variables = operations.reduce((sum, { variableDefinitions = [] }) => sum + variableDefinitions.length, 0);
  if (variables > mostVariables) return { message: `The document has more than ${mostVariables} variables.` };
  const measure = measurer(fragments);
  const measured = operations.map(({ selectionSet }) => measure(selectionSet));
  for (const [index, operation] of operations.entries()) {
    const message = operationFault(operation, measured[index]!);
    if (message !== null) return { message, nodes: operation };
  }
  const all = [...measured, ...fragments.map(({ selectionSet }) => measure(selectionSet))];
  if (all.reduce((sum, { selections }) => sum + selections, 0) > mostSelections) {
    return { message: `The document has more than ${mostSelections} selections, its fragments expanded.` };
  }
  return pairsOf(document) > mostPairs
    ? { message: `The document repeats fields or fragments: more than ${mostPairs} pairs.` }
    : null;
}

/** Stops counting at `most`. */
function hasLines(text: string, most: number): boolean {
  const breaks = /\r\n|[\n\r]/g;
  let lines = 1;
  while (lines <= most && breaks.test(text)) lines += 1;
  return lines > most;
}

function operationFault(operation: OperationDefinitionNode, measure: Measure): string | null {
  const { depth, levels, aliases, authentications } = measure;
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) return 'There is no subscription.';
  if (depth > deepest) return `The operation is deeper than ${deepest} levels.`;
  if (levels > deepestIntrospection) return `The operation is deeper than ${deepestIntrospection} levels.`;
  if (aliases > mostAliases) return `The operation has more than ${mostAliases} aliases.`;
  if (operation.operation === OperationTypeNode.MUTATION && authentications.size > 1) {
    return `The operation has more than one of ${authenticationMutations.join(', ')}.`;
  }
  return null;
}

function measurer(fragments: readonly FragmentDefinitionNode[]): (selections: SelectionSetNode) => Measure {
  const bodies = new Map(fragments.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const measured = new Map<string, Measure | null>();
  function ofFragment(name: string): Measure {
    const known = measured.get(name);
    if (known) return known;
    if (known === null) throw new Cycle(`The fragment "${name}" spreads itself.`);
    measured.set(name, null);
    const body = bodies.get(name);
    const result = body ? ofSelections(body) : nothing;
    measured.set(name, result);
    return result;
  }
  function ofField(field: FieldNode): Measure {
    const inner = field.selectionSet ? ofSelections(field.selectionSet) : nothing;
    const authenticates = authenticationMutations.includes(field.name.value);
    return {
      // The usual introspection query is deeper than ten levels. Production has no introspection.
      depth: field.name.value.startsWith('__') ? 1 : inner.depth + 1,
      levels: inner.levels + 1,
      aliases: inner.aliases + (field.alias ? 1 : 0),
      selections: inner.selections,
      authentications: new Set(authenticates ? [field.alias?.value ?? field.name.value] : []),
    };
  }
  function ofSelections({ selections }: SelectionSetNode): Measure {
    const parts = selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return ofField(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return ofSelections(selection.selectionSet);
      return ofFragment(selection.name.value);
    });
    return joined(parts);
  }
  return ofSelections;
}

const joined = (parts: readonly Measure[]): Measure => ({
  depth: Math.max(0, ...parts.map(({ depth }) => depth)),
  levels: Math.max(0, ...parts.map(({ levels }) => levels)),
  aliases: parts.reduce((sum, { aliases }) => sum + aliases, 0),
  selections: parts.reduce((sum, { selections }) => sum + selections, parts.length),
  authentications: new Set(parts.flatMap(({ authentications }) => [...authentications])),
});
