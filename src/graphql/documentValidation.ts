// Admits an operation in this order: the limits of its document, who is asking, validation, then the variables.
import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import {
  type ASTNode,
  coerceInputValue,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  separateOperations,
  specifiedRules,
  typeFromAST,
  validate,
  type ValidationRule,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { FieldError } from '../platform/errors.ts';
import { fieldPath } from '../platform/json/readJson.ts';
import { access, accessOf, assertCaller } from './authorization.ts';
import type { AdminContext } from './context.ts';
import { withoutValues } from './errors.ts';

type Resolved = GraphQLRequestContextDidResolveOperation<AdminContext>;

/** Apollo takes one error here. `didEncounterErrors` puts these in its place. */
class Refused extends GraphQLError {
  readonly all: readonly GraphQLError[];

  constructor(all: readonly GraphQLError[]) {
    super('The operation is refused.', { extensions: invalid });
    this.all = all;
  }
}

/** A dozen errors show what is wrong, and each one costs some 0.1 ms. */
const mostErrors = 20;
const http = { status: 400 };
const invalid = { code: 'GRAPHQL_VALIDATION_FAILED', http };

/** Not new errors: each counts the lines of the document before it. */
const asInvalid = (errors: readonly GraphQLError[]): GraphQLError[] =>
  errors.map((error) => Object.assign(error, { extensions: { ...invalid } }));

export interface AdmissionOptions {
  rules: readonly ValidationRule[];
  hideSuggestions: boolean;
}

/**
 * Apollo itself validates nothing. It would validate before this file can measure the document and ask who sent it, and
 * `{ me { id email } … }` with 395 times the same field, 6 kB, then takes 130 ms; a usual document takes 0.4.
 */
export function admission(options: AdmissionOptions): ApolloServerPlugin<AdminContext> {
  /** Documents that the store of documents hands out again. */
  const valid = new WeakSet<DocumentNode>();
  async function admit(resolved: Resolved): Promise<void> {
    const { document } = resolved;
    const fault = valid.has(document) ? null : overLimits(document);
    if (fault) throw new Refused(asInvalid([fault]));
    await assertCaller(resolved);
    if (!valid.has(document)) {
      assertValid(resolved, options);
      valid.add(document);
    }
    assertVariables(resolved);
  }
  return {
    requestDidStart: async () => ({
      didResolveOperation: admit,
      didEncounterErrors: async ({ errors }) => {
        const [refused] = errors;
        if (refused instanceof Refused) (errors as GraphQLError[]).splice(0, 1, ...refused.all);
      },
    }),
  };
}

function assertValid({ schema, document }: Resolved, { rules, hideSuggestions }: AdmissionOptions): void {
  const bounds = { hideSuggestions, maxErrors: mostErrors };
  const errors = validate(schema, document, [...specifiedRules, ...rules], bounds);
  if (errors.length > 0) throw new Refused(asInvalid(errors));
}

function assertVariables({ schema, document, operation, request: { variables = {} } }: Resolved): void {
  if (!operation) return;
  const faults = refusedVariables({ schema, document, operation, variables });
  const errors = faults.map(({ told, ...fault }) => {
    const extensions = { code: 'BAD_USER_INPUT', fields: [fault], http };
    return new GraphQLError(told, { extensions });
  });
  if (errors.length > 0) throw new Refused(errors);
}

// The limits of a document (schema.graphql, "Operations"), counted before validation.

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

// Counts the comparisons that validation makes of a document: pairs of fields with one response key, and of fragments.

/** Each pair takes the library some 5 µs, and its own bound lets 100,000 pass. */
export const mostPairs = 1_000;
/** A pair of fragments takes longer, because the library compares their fields by name. */
const pairOfFragments = 2;

/** The document has no fragment that spreads itself, and few selections. Counting stops soon after `mostPairs`. */
export function pairsOf({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  );
  let pairs = 0;
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    pairs += pairsOfLevel([definition.selectionSet], fragments);
    if (pairs > mostPairs) break;
  }
  return pairs;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** All selections here are of one object of the response. */
function pairsOfLevel(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const { fields, spreads } = mergedLevel(sets, fragments);
  let pairs = pairOfFragments * pairsAmong(spreads);
  for (const same of fields.values()) {
    pairs += pairsAmong(same.length);
    const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (pairs <= mostPairs && below.length > 0) pairs += pairsOfLevel(below, fragments);
  }
  return pairs;
}

const pairsAmong = (count: number): number => (count * (count - 1)) / 2;

interface Level {
  /** By the key in the response. */
  fields: Map<string, FieldNode[]>;
  spreads: number;
}

function mergedLevel(sets: readonly SelectionSetNode[], fragments: Fragments): Level {
  const level: Level = { fields: new Map(), spreads: 0 };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        level.spreads += 1;
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      } else {
        const key = (selection.alias ?? selection.name).value;
        const same = level.fields.get(key);
        if (same) same.push(selection);
        else level.fields.set(key, [selection]);
      }
    }
  };
  sets.forEach(collect);
  return level;
}

// Finds the faults in arguments that the GraphQL library refuses (pure): the paths and messages of `extensions.fields`.

type Segments = readonly (string | number)[];

/** So many show what is wrong. */
const mostFaults = 20;

/** Each node inside an argument with its path from the argument. */
function argumentNodes(document: DocumentNode): Map<ASTNode, Segments> {
  const found = new Map<ASTNode, Segments>();
  visit(document, {
    Argument(argument) {
      const at = [argument.name.value];
      found.set(argument, at).set(argument.name, at);
      addValue(found, argument.value, at);
      return false;
    },
  });
  return found;
}

function addValue(found: Map<ASTNode, Segments>, node: ValueNode, at: Segments): void {
  found.set(node, at);
  if (node.kind === Kind.LIST) node.values.forEach((value, index) => addValue(found, value, [...at, index]));
  if (node.kind !== Kind.OBJECT) return;
  for (const field of node.fields) {
    const below = [...at, field.name.value];
    found.set(field, below).set(field.name, below);
    addValue(found, field.value, below);
  }
}

/** The first place of each variable, even of a variable that only a fragment uses. */
function variablePlaces(nodes: ReadonlyMap<ASTNode, Segments>): Map<string, Segments> {
  const places = new Map<string, Segments>();
  for (const [node, at] of nodes) {
    if (node.kind === Kind.VARIABLE && !places.has(node.name.value)) places.set(node.name.value, at);
  }
  return places;
}

const missingInLiteral = /^Field "\w+\.(\w+)" of required type /;
const missingArgument = /^(?:Field "\w+"|Directive "@\w+") argument "(\w+)" of type /;

/** The place in the arguments for each error of validation; null for an error that concerns no argument. */
export function refusedLiterals(errors: readonly GraphQLError[], document: DocumentNode): (FieldError | null)[] {
  const nodes = argumentNodes(document);
  const places = variablePlaces(nodes);
  visit(document, {
    VariableDefinition({ variable, defaultValue }) {
      if (defaultValue) addValue(nodes, defaultValue, places.get(variable.name.value) ?? [variable.name.value]);
    },
  });
  return errors.map((error) => {
    const message = withoutValues(error.message, error.originalError?.message);
    const argument = missingArgument.exec(error.message)?.[1];
    if (argument !== undefined) return { path: argument, message };
    const at = error.nodes?.map((node) => nodes.get(node)).find(Boolean);
    const missing = missingInLiteral.exec(error.message)?.[1] ?? [];
    return at ? { path: fieldPath(at.concat(missing)), message } : null;
  });
}

export interface VariablesOfOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** As the request gave them. */
  variables: Record<string, unknown>;
}

export interface VariableFault extends FieldError {
  /** Names the variable and the place in it: the message of the error. */
  told: string;
}

class EnoughFaults extends Error {}

/**
 * The first faults of the variables. The library would write all of a variable's value into each of its messages, and read
 * a body of 8,000 unknown fields to its end: 400 ms, where this takes 2 ms.
 */
export function refusedVariables({ schema, document, operation, variables }: VariablesOfOperation): VariableFault[] {
  const faults: VariableFault[] = [];
  let places: Map<string, Segments> | undefined;
  const placeOf = (name: string): Segments => {
    places ??= variablePlaces(argumentNodes(separateOperations(document)[operation.name?.value ?? ''] ?? document));
    return places.get(name) ?? [name];
  };
  try {
    for (const definition of operation.variableDefinitions ?? []) {
      const name = definition.variable.name.value;
      readVariable(schema, { definition, variables }, (below, error) => {
        const message = withoutValues(error.message, error.originalError?.message);
        const at = below.length > 0 ? ` at "${fieldPath([name, ...below])}"` : '';
        const path = fieldPath([...placeOf(name), ...below, ...named(error)]);
        faults.push({ path, message, told: `Variable "$${name}" is not valid${at}: ${message}` });
        if (faults.length === mostFaults) throw new EnoughFaults();
      });
    }
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error;
  }
  return faults;
}

/** The library reports a field that is missing or unknown at the object that lacks or has it. */
const ofObject = /^Field "([\s\S]*)" (?:of required type "[^"]+" was not provided\.$|is not defined by type "\w+"\.$)/;

function named({ message }: GraphQLError): string[] {
  return ofObject.exec(message)?.slice(1, 2) ?? [];
}

interface Given {
  definition: VariableDefinitionNode;
  variables: Record<string, unknown>;
}

function readVariable(
  schema: GraphQLSchema,
  { definition, variables }: Given,
  refuse: (below: Segments, error: GraphQLError) => void,
): void {
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return;
  const name = definition.variable.name.value;
  if (!Object.hasOwn(variables, name)) {
    if (isNonNullType(type) && !definition.defaultValue) refuse([], new GraphQLError('It was not provided.'));
    return;
  }
  if (variables[name] === null && isNonNullType(type)) {
    refuse([], new GraphQLError('It must not be null.'));
    return;
  }
  coerceInputValue(variables[name], type, (path, _value, error) => refuse(path, error), true);
}

// Gives the GraphQL library's refusals of literals their `extensions.fields` (schema.graphql, "Errors").

export function argumentFields(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, document }) => {
        const refused = errors.filter(ofValidation);
        if (refused.length === 0 || !document) return;
        const faults = refusedLiterals(refused, document);
        // The response's errors are made of these objects after this.
        refused.forEach(({ extensions }, index) => {
          const fault = faults[index];
          if (fault) extensions['fields'] = [fault];
        });
      },
    }),
  };
}

const ofValidation = ({ extensions }: GraphQLError) => extensions['code'] === 'GRAPHQL_VALIDATION_FAILED';
