// The limits of an operation as a validation rule (schema.graphql, "Limits"): 400 and no execution over a limit.
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { access, accessOf } from './access.ts';

const deepest = 10;
const mostAliases = 15;
const authenticationMutations = Object.keys(access.Mutation).filter(
  (field) => accessOf('Mutation', field) === 'public',
);

interface Measure {
  depth: number;
  /** A fragment's aliases count at each spread, because each spread asks again. */
  aliases: number;
  /** The response keys of the authentication mutations at the top level. */
  authentications: ReadonlySet<string>;
}

const nothing: Measure = { depth: 0, aliases: 0, authentications: new Set() };

export const operationLimits: ValidationRule = (context) => {
  const measure = measurer(context);
  return {
    OperationDefinition(operation) {
      const report = (message: string) => context.reportError(new GraphQLError(message, { nodes: operation }));
      if (!context.getSchema().getRootType(operation.operation)) report(`There is no ${operation.operation}.`);
      const { depth, aliases, authentications } = measure(operation.selectionSet);
      if (depth > deepest) report(`The operation is deeper than ${deepest} levels.`);
      if (aliases > mostAliases) report(`The operation has more than ${mostAliases} aliases.`);
      if (isMutation(operation) && authentications.size > 1) {
        report(`The operation has more than one of ${authenticationMutations.join(', ')}.`);
      }
    },
  };
};

/** Measures each fragment once, so fragments that spread one another cost nothing. Another rule refuses a fragment that spreads itself. */
function measurer(context: ValidationContext): (selections: SelectionSetNode) => Measure {
  const measured = new Map<string, Measure>();
  function ofFragment(name: string): Measure {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, nothing);
    const fragment = context.getFragment(name);
    const result = fragment ? ofSelections(fragment.selectionSet) : nothing;
    measured.set(name, result);
    return result;
  }
  function ofField(field: FieldNode): Measure {
    const inner = field.selectionSet ? ofSelections(field.selectionSet) : nothing;
    const authenticates = authenticationMutations.includes(field.name.value);
    return {
      // The usual introspection query is deeper than ten levels. Production has no introspection.
      depth: field.name.value.startsWith('__') ? 1 : inner.depth + 1,
      aliases: inner.aliases + (field.alias ? 1 : 0),
      authentications: new Set(authenticates ? [field.alias?.value ?? field.name.value] : []),
    };
  }
  function ofSelections({ selections }: SelectionSetNode): Measure {
    const parts = selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return ofField(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return ofSelections(selection.selectionSet);
      return ofFragment(selection.name.value);
    });
    return {
      depth: Math.max(0, ...parts.map(({ depth }) => depth)),
      aliases: parts.reduce((sum, { aliases }) => sum + aliases, 0),
      authentications: new Set(parts.flatMap(({ authentications }) => [...authentications])),
    };
  }
  return ofSelections;
}

function isMutation({ operation }: OperationDefinitionNode): boolean {
  return operation === OperationTypeNode.MUTATION;
}
