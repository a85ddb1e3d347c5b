// Finds the faults in arguments that the GraphQL library refuses (pure): the paths and messages of `extensions.fields`.
import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  isNonNullType,
  Kind,
  separateOperations,
  typeFromAST,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { FieldError } from '../platform/errors.ts';
import { fieldPath } from '../platform/json/fieldPath.ts';
import { withoutValues } from './withoutValues.ts';

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
